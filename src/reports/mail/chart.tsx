import { PLAIN } from '../../mail/letter/letter';
import * as styles from '../../mail/letter/styles';
import type { DayCounts, Report } from '../report';
import { dayOfMonth, weekday } from './language/dates';
import { barText, wordsOf } from './words';

const HEIGHT_PX = 120;
/** Distinguishes a day with few visitors from one without any. */
const LEAST_PX = 3;
const DAYS_OF_WEEK = 7;
/** On either side of each bar. */
const GAPS = { weekly: '0 4px', monthly: '0 1px' };

/**
 * Page views per day, with visitors as the darker part. Bars are table cells: mail programs run no scripts and block
 * images.
 */
export function Chart(report: Report) {
  const { days, period, language } = report;
  const words = wordsOf(report);
  const most = Math.max(1, ...days.map(({ visitors, pageviews }) => Math.max(visitors, pageviews)));
  return (
    <>
      <table role="img" aria-label={words.chart} {...PLAIN} class="chart" style={styles.chart}>
        <tr>
          {days.map((counts) => (
            <Bar counts={counts} most={most} report={report} />
          ))}
        </tr>
      </table>
      {/* A month has no room for the name of each day. */}
      <table role="presentation" {...PLAIN} style={styles.fixed}>
        <tr>
          {days.map(({ day }, index) => (
            <td class="quiet" style={styles.axis}>
              {period.every === 'weekly' && (
                <>
                  {weekday(day, language)}
                  <br />
                </>
              )}
              {(period.every === 'weekly' || index % DAYS_OF_WEEK === 0) && dayOfMonth(day, language)}
            </td>
          ))}
        </tr>
      </table>
      <p class="quiet" style={{ ...styles.legend, margin: 0 }}>
        <span class="visitors" style={{ ...styles.swatch, ...styles.visitorsBar }}></span> {words.visitors}
        &nbsp;&nbsp;
        <span class="views" style={{ ...styles.swatch, ...styles.viewsBar }}></span> {words.pageviews}
      </p>
    </>
  );
}

function Bar({ counts, most, report }: { counts: DayCounts; most: number; report: Report }) {
  const visitors = heightOf(counts.visitors, most);
  const views = Math.max(0, heightOf(counts.pageviews, most) - visitors);
  return (
    <td
      height={HEIGHT_PX}
      valign="bottom"
      title={barText(counts, report)}
      style={{ ...styles.bar, height: `${HEIGHT_PX}px`, padding: GAPS[report.period.every] }}
    >
      {views > 0 && <div class="views" style={part(styles.viewsBar, views, true)}></div>}
      {visitors > 0 && <div class="visitors" style={part(styles.visitorsBar, visitors, views === 0)}></div>}
    </td>
  );
}

function part(style: styles.Style, height: number, isTop: boolean): styles.Style {
  return { ...style, height: `${height}px`, ...(isTop && { borderRadius: '3px 3px 0 0' }) };
}

function heightOf(count: number, most: number): number {
  return count === 0 ? 0 : Math.max(LEAST_PX, Math.round((count / most) * HEIGHT_PX));
}
