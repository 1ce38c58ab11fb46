import '../../statistics/more/more.css';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Cell } from '../../../../src/http/answers/csv';
import { go } from '../../shared/address';
import { saveCsv } from '../../shared/api';
import { Search } from '../../shared/search';
import { texts } from '../../shared/texts';
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
export function AllGoals({ rows, address, span, filters, reading, onClosed }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => dialog.current!.showModal(), []);
  const search = (address.get('search') ?? '').toLowerCase();
  const found = rows.filter(({ name }) => name.toLowerCase().includes(search));
  const close = () => go(onClosed);
  const download = () => saveCsv(tableOf(found), `${reading.domain}-goals-${span.from}-${span.to}.csv`);
  return (
    <dialog
      ref={dialog}
      class="more"
      aria-labelledby="all-goals-title"
      onCancel={(event) => (event.preventDefault(), close())}
      onClick={(event) => event.target === dialog.current && close()}
    >
      <div class="more-head">
        <h2 id="all-goals-title">{words.tabs.goals}</h2>
        <button class="close" onClick={close} aria-label={texts.more.close}>
          <svg viewBox="0 0 16 16" aria-hidden="true">
            <path d="m4 4 8 8m0-8-8 8" />
          </svg>
        </button>
      </div>
      <div class="tools">
        <Search address={address} isFocused />
        <button class="plain" onClick={download} disabled={found.length === 0}>
          {texts.chart.download}
        </button>
      </div>
      <div class="all-goals" tabIndex={0} role="region" aria-labelledby="all-goals-title">
        {found.length > 0 ? (
          <GoalsTable rows={found} {...{ filters, reading }} />
        ) : (
          <p class="nothing quiet">{texts.more.nothing}</p>
        )}
      </div>
    </dialog>
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
