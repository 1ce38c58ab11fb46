import type { ComponentChildren } from 'preact';
import { Button, Foot, Head, letterOf, PLAIN, Section } from '../../mail/letter/letter';
import * as styles from '../../mail/letter/styles';
import { type Compared, type ForReader, isEmpty, type Report } from '../report';
import { Chart } from './chart';
import { TopList } from './lists';
import {
  changeOf,
  listsOf,
  nothingText,
  numberText,
  previewText,
  previousText,
  rateTexts,
  subjectOf,
  titleOf,
  wordsOf,
} from './words';

const ARROWS = { up: '▲', down: '▼', same: '' };

/** The report as HTML. */
export function htmlOf(report: Report, { isOwner, statistics: link, stop: stopLink }: ForReader): string {
  const { daysNote, reason, statistics, stop } = wordsOf(report);
  return letterOf({
    language: report.language,
    title: subjectOf(report),
    preview: previewOf(report),
    children: (
      <>
        <Head title={report.domain} text={titleOf(report)} />
        {isEmpty(report) ? <Section>{nothingText(report)}</Section> : <Numbers {...report} />}
        {link !== undefined && (
          <Section>
            <Button href={link} text={statistics} />
          </Section>
        )}
        {listsOf(report).map((list) => (
          <Section>
            <TopList {...list} language={report.language} />
          </Section>
        ))}
        <Foot
          notes={[daysNote(report.timezone), reason[isOwner ? 'owner' : 'recipient'](report.domain)]}
          stop={{ href: stopLink, text: stop }}
        />
      </>
    ),
  });
}

function Numbers(report: Report) {
  const words = wordsOf(report);
  return (
    <>
      <Section>
        <table role="presentation" {...PLAIN} style={styles.fixed}>
          <tr>
            <Total title={words.visitors} total={report.visitors} report={report} />
            <Total title={words.pageviews} total={report.pageviews} report={report} />
            <BounceRate {...report} />
          </tr>
        </table>
      </Section>
      <Section>
        <Chart {...report} />
      </Section>
    </>
  );
}

function BounceRate(report: Report) {
  const texts = rateTexts(report);
  return (
    texts && (
      <Figure title={wordsOf(report).bounceRate} figure={texts.rate}>
        {texts.previous}
      </Figure>
    )
  );
}

function Total({ title, total, report }: { title: string; total: Compared; report: Report }) {
  const { language } = report;
  const change = changeOf(total, report);
  return (
    <Figure title={title} figure={numberText(total.count, language)}>
      {change && (
        <span class={change.direction} style={styles.change[change.direction]}>
          {ARROWS[change.direction]} {change.text}
        </span>
      )}{' '}
      {change && <span class="wide">· </span>}
      {previousText(total, report)}
    </Figure>
  );
}

function Figure({ title, figure, children }: { title: string; figure: string; children: ComponentChildren }) {
  return (
    <td valign="top" style={styles.figure}>
      <div class="quiet" style={styles.totalTitle}>
        {title}
      </div>
      <div class="total" style={styles.total}>
        {figure}
      </div>
      <div class="quiet" style={styles.quiet}>
        {children}
      </div>
    </td>
  );
}

function previewOf(report: Report): string {
  return isEmpty(report) ? nothingText(report) : previewText(report);
}
