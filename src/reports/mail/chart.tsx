import { PLAIN } from '../../mail/letter/letter';
import * as styles from '../../mail/letter/styles';
import { dayOfMonth, weekday } from '../period';
import type { DayCounts, Report } from '../report';
import { numberText } from './words';

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
export function Chart({ days, period }: Report) {
  const most = Math.max(1, ...days.map(({ visitors, pageviews }) => Math.max(visitors, pageviews)));
  return (
    <>
      <table
        role="img"
        aria-label="Visitors and page views by day"
        {...PLAIN}
        class="chart"
        style={styles.chart}
      >
        <tr>
          {days.map((counts) => (
            <Bar counts={counts} most={most} gap={GAPS[period.every]} />
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
                  {weekday(day)}
                  <br />
                </>
              )}
              {(period.every === 'weekly' || index % DAYS_OF_WEEK === 0) && dayOfMonth(day)}
            </td>
          ))}
        </tr>
      </table>
      <p class="quiet" style={{ ...styles.legend, margin: 0 }}>
        <span class="visitors" style={{ ...styles.swatch, ...styles.visitorsBar }}></span> Visitors
        &nbsp;&nbsp;
        <span class="views" style={{ ...styles.swatch, ...styles.viewsBar }}></span> Page views
      </p>
    </>
  );
}

function Bar({ counts, most, gap }: { counts: DayCounts; most: number; gap: string }) {
  const visitors = heightOf(counts.visitors, most);
  const views = Math.max(0, heightOf(counts.pageviews, most) - visitors);
  const title = `${weekday(counts.day)} ${dayOfMonth(counts.day)}: ${numberText(counts.visitors)} visitors, ${numberText(counts.pageviews)} page views`;
  return (
    <td
      height={HEIGHT_PX}
      valign="bottom"
      title={title}
      style={{ ...styles.bar, height: `${HEIGHT_PX}px`, padding: gap }}
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
