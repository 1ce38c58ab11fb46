import type { Language } from '../../../engine/ground/languages';
import { PLAIN } from '../../mail/letter/letter';
import * as styles from '../../mail/letter/styles';
import { labelText, type List, numberText } from './words';

export function TopList({ title, counts, entries, language }: List & { language: Language }) {
  const most = Math.max(...entries.map(({ count }) => count));
  return (
    <>
      <h2 style={styles.listTitle}>
        {title}{' '}
        <span class="quiet" style={styles.listUnit}>
          {counts}
        </span>
      </h2>
      <table {...PLAIN} style={styles.fixed}>
        {entries.map((entry) => (
          <Row {...entry} {...{ most, language }} />
        ))}
      </table>
    </>
  );
}

type RowProps = List['entries'][number] & { most: number; language: Language };

function Row({ label, count, most, language }: RowProps) {
  return (
    <>
      <tr>
        <td style={styles.label}>{labelText(label)}</td>
        <td align="right" style={styles.count}>
          {numberText(count, language)}
        </td>
      </tr>
      <tr>
        <td colspan={2}>
          <div class="track" style={styles.track}>
            <div
              class="visitors"
              style={{ ...styles.share, width: `${Math.max(1, Math.round((count / most) * 100))}%` }}
            ></div>
          </div>
        </td>
      </tr>
    </>
  );
}
