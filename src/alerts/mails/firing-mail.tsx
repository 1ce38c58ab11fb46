import type { Language } from '../../../engine/ground/languages';
import { Foot, Head, letterOf, Link, Section } from '../../mail/letter/letter';
import * as styles from '../../mail/letter/styles';
import type { Firing } from '../firings/firing';
import type { AlertWords } from './language/en';
import { alertWords, countedText, numberText, reasonOf, windowText } from './words';

interface FiringMail {
  firing: Firing;
  domain: string;
  timezone: string;
  language: Language;
  /** A link to the statistics, if the reader may see them. */
  page: string | undefined;
  /** The link that stops alerts. */
  stop: string;
}

/** The mail about a firing. */
export function firingContent(mail: FiringMail): { subject: string; text: string; html: string } {
  const words = alertWords(mail.language);
  const subject = words.subject(mail.domain, mail.firing.alert.name);
  return { subject, text: textOf(mail, words), html: htmlOf(mail, words) };
}

function textOf({ firing, domain, timezone, page, stop }: FiringMail, words: AlertWords): string {
  return [
    words.subject(domain, firing.alert.name),
    `${countText(firing, words)}\n${windowText(firing, timezone, words)}`,
    ...(page === undefined ? [] : [`${words.page(domain)}: ${page}`]),
    `${words.why(domain)}\n${words.stop}: ${stop}`,
  ].join('\n\n');
}

function htmlOf({ firing, domain, timezone, page, stop }: FiringMail, words: AlertWords): string {
  return letterOf({
    language: words.language,
    title: words.subject(domain, firing.alert.name),
    preview: countText(firing, words),
    children: (
      <>
        <Head title={domain} text={words.title(firing.alert.name)} />
        <Section>
          <div style={styles.total}>
            {numberText(firing.value, words)} {countedText(firing, words)}
          </div>
          <div class="quiet" style={styles.quiet}>
            {reasonOf(firing, words)}
            <br />
            {windowText(firing, timezone, words)}
          </div>
        </Section>
        {page !== undefined && (
          <Section>
            <Link href={page} text={words.page(domain)} />
          </Section>
        )}
        <Foot notes={[words.why(domain)]} stop={{ href: stop, text: words.stop }} />
      </>
    ),
  });
}

function countText(firing: Firing, words: AlertWords): string {
  return `${numberText(firing.value, words)} ${countedText(firing, words)}, ${reasonOf(firing, words)}`;
}
