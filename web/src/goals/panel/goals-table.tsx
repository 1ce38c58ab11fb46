import { changeOf, numberText, percentText, shortNumberText } from '../../shared/format';
import { toneOf } from '../../statistics/range-to-compare';
import { Sums } from '../../statistics/panels/sums-text';
import { Value } from '../../statistics/panels/value';
import type { View } from '../view';
import { words } from '../words';
import type { GoalRow } from './goal-rows';

const { columns } = words;

interface Props extends Pick<View, 'filters' | 'isComparable' | 'reading'> {
  rows: GoalRow[];
}

/** Goals with their numbers. A click on one filters by the visitors who reached it. */
export function GoalsTable({ rows, filters, isComparable, reading }: Props) {
  const largest = Math.max(1, ...rows.map(({ conversions }) => conversions));
  const hasValues = rows.some(({ values }) => values.length > 0);
  const isCompared = rows.some(({ before }) => before !== undefined);
  return (
    <table class="goal-rows">
      <thead>
        <tr>
          <th scope="col">{columns.goal}</th>
          <th scope="col">{columns.conversions}</th>
          <th scope="col" class="of-converters">
            {columns.converters}
          </th>
          <th scope="col" title={words.rateHint}>
            {columns.rate}
          </th>
          {hasValues && (
            <th scope="col" class="of-value">
              {columns.value}
            </th>
          )}
          {isCompared && <th scope="col">{columns.change}</th>}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <Row key={row.name} {...{ row, largest, hasValues, isCompared, isComparable, filters, reading }} />
        ))}
      </tbody>
    </table>
  );
}

interface RowProps extends Omit<Props, 'rows'> {
  row: GoalRow;
  largest: number;
  hasValues: boolean;
  isCompared: boolean;
}

function Row({ row, largest, hasValues, isCompared, isComparable, filters, reading }: RowProps) {
  const { name, conversions, converters, rate, values, before } = row;
  const change = changeOf(conversions, before);
  return (
    <tr>
      <th scope="row">
        <span class="bar" style={{ '--part': conversions / largest }} />
        <Value name="goal" value={name} {...{ filters, reading }} />
        {values.length > 0 && (
          <span class="of-phone">
            <Sums sums={values} />
          </span>
        )}
      </th>
      <td title={numberText(conversions)}>
        <b>{shortNumberText(conversions)}</b>
      </td>
      <td class="of-converters" title={numberText(converters)}>
        {shortNumberText(converters)}
      </td>
      <td>{rate === undefined ? '–' : percentText(rate)}</td>
      {hasValues && <td class="of-value">{values.length > 0 ? <Sums sums={values} /> : '–'}</td>}
      {isCompared && <td class={toneOf(change, isComparable)}>{change?.text ?? '–'}</td>}
    </tr>
  );
}
