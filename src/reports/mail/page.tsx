import { Foot, Head, letterOf, Link, PLAIN, Section } from '../../mail/letter/letter';
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
  subjectOf,
  titleOf,
  wordsOf,
} from './words';

const ARROWS = { up: '▲', down: '▼', same: '' };

/** The report as HTML. */
export function htmlOf(report: Report, { isOwner, statistics, stop: stopLink }: ForReader): string {
  const { daysNote, page, reason, stop } = wordsOf(report);
  return letterOf({
    language: report.language,
    title: subjectOf(report),
    preview: previewOf(report),
    children: (
      <>
        <Head title={report.domain} text={titleOf(report)} />
        {isEmpty(report) ? <Section>{nothingText(report)}</Section> : <Numbers {...report} />}
        {statistics !== undefined && (
          <Section>
            <Link href={statistics} text={page(report.domain)} />
          </Section>
        )}
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
          </tr>
        </table>
      </Section>
      <Section>
        <Chart {...report} />
      </Section>
      {listsOf(report).map((list) => (
        <Section>
          <TopList {...list} language={report.language} />
        </Section>
      ))}
    </>
  );
}

function Total({ title, total, report }: { title: string; total: Compared; report: Report }) {
  const { language } = report;
  const change = changeOf(total, report);
  return (
    <td valign="top" style={{ paddingRight: '12px' }}>
      <div class="quiet" style={styles.totalTitle}>
        {title}
      </div>
      <div style={styles.total}>{numberText(total.count, language)}</div>
      <div class="quiet" style={styles.quiet}>
        {change && (
          <span class={change.direction} style={styles.change[change.direction]}>
            {ARROWS[change.direction]} {change.text}
          </span>
        )}{' '}
        {change && <span class="wide">· </span>}
        {previousText(total, report)}
      </div>
    </td>
  );
}

function previewOf(report: Report): string {
  return isEmpty(report) ? nothingText(report) : previewText(report);
}
