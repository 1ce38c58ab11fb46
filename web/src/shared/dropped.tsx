import { urlOf } from './api';
import './dropped.css';
import { FoldedTable } from './folded-table';
import { dayText, numberText } from './format';
import type { Span } from './ranges';
import { texts } from './texts';
import { useAnswer } from './use-answer';

export type DropReason = keyof typeof texts.dropped.reasons;

interface Dropped {
  reasons: { reason: DropReason; count: number }[];
  /** The latest days, the last first. */
  days: { day: string; reason: DropReason; count: number }[];
}

interface Props {
  url: string;
  websiteId: number | string;
  span: Span;
  /** With the number of events, also as text. */
  title: (events: number, count: string) => string;
}

/** The events of a website that were left out, by reason and day, in one line that opens. */
export function DroppedEvents({ url, websiteId, span: { from, to }, title }: Props) {
  const { data } = useAnswer<{ data: Dropped }>(urlOf(url, { website: websiteId, from, to }));
  if (!data || data.data.reasons.length === 0) return null;
  const { reasons, days } = data.data;
  const counts = new Map(days.map(({ day, reason, count }) => [day + reason, count]));
  const total = reasons.reduce((sum, { count }) => sum + count, 0);
  return (
    <FoldedTable
      kind="dropped"
      title={title(total, numberText(total))}
      columns={[texts.chart.date, ...reasons.map(({ reason }) => texts.dropped.reasons[reason])]}
    >
      <tr>
        <th scope="row">{texts.dropped.all}</th>
        {reasons.map(({ reason, count }) => (
          <td key={reason}>{numberText(count)}</td>
        ))}
      </tr>
      {[...new Set(days.map(({ day }) => day))].map((day) => (
        <tr key={day}>
          <th scope="row">{dayText(day)}</th>
          {reasons.map(({ reason }) => (
            <td key={reason}>{numberText(counts.get(day + reason) ?? 0)}</td>
          ))}
        </tr>
      ))}
    </FoldedTable>
  );
}
