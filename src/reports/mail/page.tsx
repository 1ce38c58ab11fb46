import type { ComponentChildren } from 'preact';
import { render } from 'preact-render-to-string';
import { type Compared, isEmpty, type Report } from '../report';
import { Chart, PLAIN } from './chart';
import { TopList } from './lists';
import * as styles from './styles';
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

/** The report as HTML for mail programs: tables, inline styles, and no external resources. */
export function htmlOf(report: Report, unsubscribeLink: string): string {
  return `<!DOCTYPE html>${render(<Page report={report} unsubscribeLink={unsubscribeLink} />)}`;
}

function Page({ report, unsubscribeLink }: { report: Report; unsubscribeLink: string }) {
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="supported-color-schemes" content="light dark" />
        <title>{subjectOf(report)}</title>
        <style>{styles.SHEET}</style>
      </head>
      <body class="page" style={styles.page}>
        <div style={styles.preview}>{previewOf(report)}</div>
        <table role="presentation" {...PLAIN} class="page" style={{ background: styles.page.background }}>
          <tr>
            <td class="outer" align="center" style={styles.outer}>
              <table role="presentation" {...PLAIN} class="card" style={styles.card}>
                <Head {...report} />
                {isEmpty(report) ? <Nothing {...report} /> : <Numbers {...report} />}
                <PageLink {...report} />
                <Foot report={report} unsubscribeLink={unsubscribeLink} />
              </table>
            </td>
          </tr>
        </table>
      </body>
    </html>
  );
}

function Section({
  style = styles.section,
  children,
}: {
  style?: styles.Style;
  children: ComponentChildren;
}) {
  return (
    <tr>
      <td class="section" align="left" style={style}>
        {children}
      </td>
    </tr>
  );
}

function Head(report: Report) {
  return (
    <Section style={styles.head}>
      <h1 style={styles.domain}>{report.domain}</h1>
      <p class="quiet" style={{ ...styles.quiet, ...styles.paragraph }}>
        {titleOf(report)}
      </p>
    </Section>
  );
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
      <a class="link" href={page} style={styles.link}>
        {pageText(domain)}
      </a>
    </Section>
  );
}

function Foot({ report, unsubscribeLink }: { report: Report; unsubscribeLink: string }) {
  return (
    <tr>
      <td class="section foot quiet" align="left" style={styles.foot}>
        {daysNote(report)}
        <br />
        {reasonText(report)}
        <br />
        <a class="link" href={unsubscribeLink} style={styles.link}>
          {STOP}
        </a>
      </td>
    </tr>
  );
}

function previewOf(report: Report): string {
  return isEmpty(report) ? NOTHING[report.period.every] : previewText(report);
}
