import { go } from './address';
import type { StatsAnswer } from './api';
import { changeOf, numberText, shareText } from './format';
import { texts } from './texts';
import { Value } from './value';

type Order = 'count' | 'value';

interface Props {
  answer: StatsAnswer;
  order: Order;
  domain: string;
}

export function MoreTable({ answer: { data, meta }, order, domain }: Props) {
  if (data.length === 0) return <p class="nothing quiet">{texts.more.nothing}</p>;
  const hasComparison = meta.previous_range !== undefined;
  return (
    <table>
      <thead>
        <tr>
          <Column order="value" chosen={order} text={texts.names[meta.name]} />
          <Column order="count" chosen={order} text={texts.counts[meta.counts]} />
          <th scope="col">{texts.share}</th>
          {hasComparison && (
            <th scope="col" class="wide">
              {texts.change}
            </th>
          )}
        </tr>
      </thead>
      <tbody>
        {data.map((entry) => {
          const change = changeOf(entry.count, entry.previous_count);
          return (
            <tr key={entry.value}>
              <th scope="row">
                <Value name={meta.name} entry={entry} domain={domain} />
              </th>
              <td>{numberText(entry.count)}</td>
              <td>{shareText(entry.count, meta.sum)}</td>
              {hasComparison && <td class={`wide ${change?.direction ?? ''}`}>{change?.text ?? '–'}</td>}
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

const DIRECTIONS = { count: 'descending', value: 'ascending' } as const;

function Column({ order, chosen, text }: { order: Order; chosen: Order; text: string }) {
  return (
    <th scope="col" aria-sort={order === chosen ? DIRECTIONS[order] : 'none'}>
      <button
        class="sort"
        aria-label={texts.more.sortBy(text)}
        onClick={() => go({ sort: order === 'count' ? undefined : order, at: undefined }, 'replace')}
      >
        {text}
        <span aria-hidden="true">{order === chosen ? (order === 'count' ? ' ↓' : ' ↑') : ''}</span>
      </button>
    </th>
  );
}
