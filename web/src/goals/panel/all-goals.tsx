import type { Cell } from '../../../../engine/hits/files/csv';
import { go } from '../../shared/address';
import { saveCsv } from '../../shared/api';
import { texts } from '../../shared/texts';
import { ListDialog } from '../../statistics/more/list-dialog';
import { cellOf, currenciesIn } from '../../statistics/panels/sums';
import type { View } from '../view';
import { words } from '../words';
import type { GoalRow } from './goal-rows';
import { GoalsTable } from './goals-table';

interface Props extends View {
  rows: GoalRow[];
  /** The change of the address that closes it. */
  onClosed: Parameters<typeof go>[0];
}

/** All goals, with a search. There are few enough for one page. */
export function AllGoals({ rows, address, span, filters, isComparable, reading, onClosed }: Props) {
  const search = (address.get('search') ?? '').toLowerCase();
  const found = rows.filter(({ name }) => name.toLowerCase().includes(search));
  return (
    <ListDialog
      heading={words.tabs.goals}
      kind="all-goals"
      address={address}
      hasRows={found.length > 0}
      onDownload={() => saveCsv(tableOf(found), `${reading.domain}-goals-${span.from}-${span.to}.csv`)}
      onClosed={() => go(onClosed)}
    >
      {found.length > 0 ? (
        <GoalsTable rows={found} {...{ filters, isComparable, reading }} />
      ) : (
        <p class="nothing quiet">{texts.more.nothing}</p>
      )}
    </ListDialog>
  );
}

function tableOf(rows: GoalRow[]): Cell[][] {
  const currencies = currenciesIn(rows.map(({ values }) => values));
  const isCompared = rows.every(({ before }) => before !== undefined);
  return [
    [
      ...['goal', 'conversions', 'converters', 'conversion_rate'],
      ...(isCompared ? ['previous_conversions'] : []),
      ...currencies.map((currency) => `value_${currency}`),
    ],
    ...rows.map(({ name, conversions, converters, rate = null, before, values }) => [
      ...[name, conversions, converters, rate],
      ...(isCompared ? [before!] : []),
      ...currencies.map((currency) => cellOf(values, currency)),
    ]),
  ];
}
