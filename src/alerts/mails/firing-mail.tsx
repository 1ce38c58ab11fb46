import { Foot, Head, letterOf, Link, Section } from '../../mail/letter/letter';
import * as styles from '../../mail/letter/styles';
import type { Firing } from '../firings/firing';
import { countedText, numberText, pageText, reasonOf, STOP, subjectOf, whyText, windowText } from './words';

interface FiringMail {
  firing: Firing;
  domain: string;
  timezone: string;
  /** A link to the statistics, if the reader may see them. */
  page: string | undefined;
  /** The link that stops alerts. */
  stop: string;
}

/** The mail about a firing. */
export function firingContent(mail: FiringMail): { subject: string; text: string; html: string } {
  return { subject: subjectOf(mail.firing, mail.domain), text: textOf(mail), html: htmlOf(mail) };
}

function textOf({ firing, domain, timezone, page, stop }: FiringMail): string {
  return [
    subjectOf(firing, domain),
    `${countText(firing)}\n${windowText(firing, timezone)}`,
    ...(page === undefined ? [] : [`${pageText(domain)}: ${page}`]),
    `${whyText(domain)}\n${STOP}: ${stop}`,
  ].join('\n\n');
}

function htmlOf({ firing, domain, timezone, page, stop }: FiringMail): string {
  return letterOf({
    language: 'en',
    title: subjectOf(firing, domain),
    preview: countText(firing),
    children: (
      <>
        <Head title={domain} text={`Alert: ${firing.alert.name}`} />
        <Section>
          <div style={styles.total}>
            {numberText(firing.value)} {countedText(firing)}
          </div>
          <div class="quiet" style={styles.quiet}>
            {reasonOf(firing)}
            <br />
            {windowText(firing, timezone)}
          </div>
        </Section>
        {page !== undefined && (
          <Section>
            <Link href={page} text={pageText(domain)} />
          </Section>
        )}
        <Foot notes={[whyText(domain)]} stop={{ href: stop, text: STOP }} />
      </>
    ),
  });
}

function countText(firing: Firing): string {
  return `${numberText(firing.value)} ${countedText(firing)}, ${reasonOf(firing)}`;
}
