import { Foot, Head, letterOf, Link, PLAIN, Section } from '../../mail/letter/letter';
import * as styles from '../../mail/letter/styles';
import { type Compared, isEmpty, type Report } from '../report';
import { Chart } from './chart';
import { TopList } from './lists';
import {
  changeOf,
  daysNote,
  listsOf,
  NOTHING,
  numberText,
  pageText,
  previewText,
  previousText,
  reasonText,
  STOP,
  subjectOf,
  titleOf,
} from './words';

const ARROWS = { up: '▲', down: '▼', same: '' };

/** The report as HTML. */
export function htmlOf(report: Report, unsubscribeLink: string): string {
  return letterOf({
    title: subjectOf(report),
    preview: previewOf(report),
    children: (
      <>
        <Head title={report.domain} text={titleOf(report)} />
        {isEmpty(report) ? <Nothing {...report} /> : <Numbers {...report} />}
        <PageLink {...report} />
        <Foot notes={[daysNote(report), reasonText(report)]} stop={{ href: unsubscribeLink, text: STOP }} />
      </>
    ),
  });
}

function Nothing({ period }: Report) {
  return <Section>{NOTHING[period.every]}</Section>;
}

function Numbers(report: Report) {
  return (
    <>
      <Section>
        <table role="presentation" {...PLAIN} style={styles.fixed}>
          <tr>
            <Total title="Visitors" total={report.visitors} report={report} />
            <Total title="Page views" total={report.pageviews} report={report} />
          </tr>
        </table>
      </Section>
      <Section>
        <Chart {...report} />
      </Section>
      {listsOf(report).map((list) => (
        <Section>
          <TopList {...list} />
        </Section>
      ))}
    </>
  );
}

function Total({ title, total, report }: { title: string; total: Compared; report: Report }) {
  const change = changeOf(total);
  return (
    <td valign="top" style={{ paddingRight: '12px' }}>
      <div class="quiet" style={styles.totalTitle}>
        {title}
      </div>
      <div style={styles.total}>{numberText(total.count)}</div>
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

function PageLink({ page, domain }: Report) {
  return page === undefined ? null : (
    <Section>
      <Link href={page} text={pageText(domain)} />
    </Section>
  );
}

function previewOf(report: Report): string {
  return isEmpty(report) ? NOTHING[report.period.every] : previewText(report);
}
