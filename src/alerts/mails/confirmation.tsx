import type { Language } from '../../common/languages';
import { Foot, Head, letterOf, Link, Section } from '../../mail/letter/letter';
import { alertWords } from './words';

interface Confirmation {
  domain: string;
  language: Language;
  /** The link that confirms the address. */
  confirm: string;
  stop: string;
}

/** The mail that asks an address whether it wants alerts. It has no words of the website's owner. */
export function confirmationContent({ domain, language, confirm, stop }: Confirmation): {
  subject: string;
  text: string;
  html: string;
} {
  const { confirmation: words } = alertWords(language);
  const [subject, question] = [words.subject(domain), words.question(domain)];
  const { otherwise, never } = words;
  return {
    subject,
    text: `${subject}\n\n${question}\n\n${words.confirm}: ${confirm}\n\n${otherwise}\n${never}: ${stop}`,
    html: letterOf({
      language,
      title: subject,
      preview: question,
      children: (
        <>
          <Head title={domain} text={subject} />
          <Section>{question}</Section>
          <Section>
            <Link href={confirm} text={words.confirm} />
          </Section>
          <Foot notes={[otherwise]} stop={{ href: stop, text: never }} />
        </>
      ),
    }),
  };
}
