import type { Language } from '../../engine/ground/languages';
import { Foot, Head, letterOf, Link, Section } from '../mail/letter/letter';

/** The texts of a question about a topic. */
export interface ConfirmationWords {
  subject: (domain: string) => string;
  question: (domain: string) => string;
  confirm: string;
  otherwise: string;
  never: string;
}

interface Confirmation {
  domain: string;
  language: Language;
  words: ConfirmationWords;
  /** The link that confirms the address. */
  confirm: string;
  stop: string;
}

/** The mail that asks an address whether it wants the mails of a topic. It has no words of the website's owner. */
export function confirmationContent({ domain, language, words, confirm, stop }: Confirmation): {
  subject: string;
  text: string;
  html: string;
} {
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
