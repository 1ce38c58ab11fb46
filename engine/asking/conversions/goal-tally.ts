import type { Codes } from '../../hits/codes/code-list';
import { NOT_SET } from '../../hits/codes/text-codes';
import type { ColumnName } from '../../hits/hit-columns';
import type { BlockView } from '../select/block-view';
import { type Conversion, type GoalConversions, MAX_LATEST } from '../../questions/conversions-request';

const SHOWN = ['page', 'event', 'referrer', 'country', 'value', 'currency'] as const satisfies ColumnName[];
type Shown = (typeof SHOWN)[number];
/** Longer texts are cut. */
const MAX_TEXT_LENGTH = 1000;
/** Their sums are not shown. */
const MANY_CURRENCIES = 2;

/** The values of a block's hits that conversions show. */
export class ShownValues {
  private readonly codes: Record<Shown, Codes>;
  private readonly visitorOf: Uint32Array;

  constructor(private readonly view: BlockView) {
    const codes = SHOWN.map((name) => [name, view.codes(name)] as const);
    this.codes = Object.fromEntries(codes) as Record<Shown, Codes>;
    this.visitorOf = view.visitorOfHits;
  }

  at(hit: number): number {
    return this.view.block.at[hit]!;
  }

  /** Null if it is not set. */
  of(name: Shown, hit: number): string | null {
    const code = this.codes[name][name === 'country' ? this.visitorOf[hit]! : hit]!;
    return code === NOT_SET ? null : this.view.values.of(name).texts[code]!;
  }
}

/** The conversions of one goal. */
export class GoalTally {
  private conversions = 0;
  private readonly amounts = new Map<string, bigint>();
  /** The latest last. */
  private readonly latest: Conversion[] = [];

  add(values: ShownValues, hit: number): void {
    this.conversions++;
    this.addAmount(values, hit);
    const at = values.at(hit);
    if (this.latest.length === MAX_LATEST && at < this.latest[0]!.at) return;
    const place = this.latest.findLastIndex((own) => own.at <= at) + 1;
    this.latest.splice(place, 0, {
      at,
      page: cut(values.of('page', hit)) ?? '',
      event: cut(values.of('event', hit)),
      country: values.of('country', hit),
      referrer: cut(values.of('referrer', hit)),
    });
    if (this.latest.length > MAX_LATEST) this.latest.shift();
  }

  result(): GoalConversions {
    const { conversions, amounts, latest } = this;
    const values = [...amounts].map(([currency, amount]) => [currency, String(amount)] as const);
    return { conversions, values, latest: latest.toReversed() };
  }

  private addAmount(values: ShownValues, hit: number): void {
    const [amount, currency] = [values.of('value', hit), values.of('currency', hit)];
    if (amount === null || currency === null || !/^-?\d+$/.test(amount)) return;
    const before = this.amounts.get(currency);
    if (before === undefined && this.amounts.size === MANY_CURRENCIES) return;
    this.amounts.set(currency, (before ?? 0n) + BigInt(amount));
  }
}

function cut(text: string | null): string | null {
  if (text === null || text.length <= MAX_TEXT_LENGTH) return text;
  return `${text.slice(0, MAX_TEXT_LENGTH).toWellFormed()}…`;
}
