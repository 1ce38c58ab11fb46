import { Foot, Head, letterOf, Link, Section } from '../../mail/letter/letter';

interface Confirmation {
  domain: string;
  /** The link that confirms the address. */
  confirm: string;
  stop: string;
}

const CONFIRM = 'Confirm this address';
const NEVER = 'Never ask again';

/** The mail that asks an address whether it wants alerts. It has no words of the website's owner. */
export function confirmationContent({ domain, confirm, stop }: Confirmation): {
  subject: string;
  text: string;
  html: string;
} {
  const subject = `Get alerts of ${domain}?`;
  const question = `The owner of ${domain} wants Milepost to send alerts about the numbers of this website to you.`;
  const otherwise = 'If you do not want them, ignore this mail: nothing is sent without your confirmation.';
  return {
    subject,
    text: `${subject}\n\n${question}\n\n${CONFIRM}: ${confirm}\n\n${otherwise}\n${NEVER}: ${stop}`,
    html: letterOf({
      language: 'en',
      title: subject,
      preview: question,
      children: (
        <>
          <Head title={domain} text={subject} />
          <Section>{question}</Section>
          <Section>
            <Link href={confirm} text={CONFIRM} />
          </Section>
          <Foot notes={[otherwise]} stop={{ href: stop, text: NEVER }} />
        </>
      ),
    }),
  };
}
