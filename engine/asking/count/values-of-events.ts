import { InvalidFields } from '../../ground/errors';
import { NOT_SET } from '../../hits/codes/text-codes';
import type { BlockView } from '../select/block-view';
import type { Groups } from './groups';
import type { SelectedRows } from '../select/selected-rows';
import type { Tally } from './tally';
import { addAmount, parseAmount, withCurrency } from '../../hits/value-sums';

/** Adds the values of the selected events of a block to their groups. */
export function addValues(
  view: BlockView,
  selected: SelectedRows,
  { codes, level }: Groups,
  tally: Tally,
): void {
  const [values, currencies] = [view.codes('value'), view.codes('currency')];
  const { texts } = view.values.of('value');
  const add = adding(tally);
  selected.forEach((hit, visitor) => {
    const value = values[hit]!;
    if (value !== NOT_SET) add(codes[level === 'hit' ? hit : visitor]!, texts[value]!, currencies[hit]!);
  });
}

function adding(tally: Tally): (group: number, value: string, currency: number) => void {
  const high = tally.countsOf('value_high')!;
  const low = tally.countsOf('value_low')!;
  const currencies = tally.countsOf('value_currency')!;
  return (group, value, currency) => {
    const amount = parseAmount(value);
    if (!amount) throw new ValuesMerged();
    addAmount(high, low, group, amount);
    currencies[group] = withCurrency(currencies[group]!, currency);
  };
}

/** Merged values cannot be added. */
class ValuesMerged extends InvalidFields {
  constructor() {
    super({ metrics: ['have more distinct values than one query adds up; request fewer days'] });
  }
}
