import { compareTexts } from '../../ground/text-order';
import { NOT_SET } from '../../hits/codes/text-codes';
import { OTHER } from '../../hits/rules/value-limits';
import type { WebsiteValues } from '../select/website-values';
import type { PartialItem } from '../partial';
import type { BlockView } from '../select/block-view';
import type { JourneyStart, NodeKind } from '../../questions/journey-request';

/**
 * An item is what a visit sees at once: a page or an event, as one number. Even numbers are pages, odd ones events. No
 * page and no event has the code of no value, so their numbers are free.
 */
export const START = 2 * NOT_SET;
/** Stands for values that are counted together. */
export const OTHER_ITEM = 2 * NOT_SET + 1;
export const NO_ITEM = -1;

/** The item of each hit of a block. */
export function itemsIn(view: BlockView): Uint32Array {
  return view.once('items', () => {
    const [pages, events] = [view.ownCodes('page'), view.ownCodes('event')];
    const items = new Uint32Array(view.block.hits);
    for (let hit = 0; hit < items.length; hit++) {
      const page = pages.rows[hit]!;
      items[hit] = 2 * (pages.codeOf ? pages.codeOf[page]! : page);
    }
    for (const hit of view.events) {
      const event = events.rows[hit]!;
      items[hit] = 2 * (events.codeOf ? events.codeOf[event]! : event) + 1;
    }
    return items;
  });
}

/** Undefined if no hit that was read has the value. */
export function itemOf({ kind, value }: JourneyStart, values: WebsiteValues): number | undefined {
  const code = values.of(kind).find(value);
  return code === undefined ? undefined : 2 * code + Number(kind === 'event');
}

export function kindOf(item: number): NodeKind {
  return item % 2 === 1 ? 'event' : 'page';
}

/** The item of a value, from now on. */
export function addedItemOf(item: PartialItem, values: WebsiteValues): number {
  if (item === 'start') return START;
  return item === 'others'
    ? OTHER_ITEM
    : 2 * values.of(item.kind).codeOf(item.value) + Number(item.kind === 'event');
}

/** The words of items. */
export class ItemTexts {
  constructor(private readonly values: WebsiteValues) {}

  partial(item: number): PartialItem {
    if (item === START) return 'start';
    return item === OTHER_ITEM ? 'others' : { kind: kindOf(item), value: this.of(item) };
  }

  of(item: number): string {
    return this.values.of(kindOf(item)).texts[item >> 1] ?? '';
  }

  /** Tells whether an item stands for several values. */
  isOther(item: number): boolean {
    return item === OTHER_ITEM || (this.of(item) === OTHER && this.values.isMerged(kindOf(item)));
  }

  readonly compare = (one: number, other: number): number =>
    compareTexts(this.of(one), this.of(other)) || compareTexts(kindOf(one), kindOf(other));
}
