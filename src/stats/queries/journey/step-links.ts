import { NumberList } from '../../../common/lists/number-list';
import { PairNumbers } from '../count/pair-numbers';
import { CountTable } from '../walk/count-table';
import { OTHER_ITEM } from './items';

/** The visits from each item of a step to each item of the next one. */
export class StepLinks {
  /** Whether new items are counted together. */
  isClosed = false;
  /** Whether an item was counted with others. */
  isMerged = false;
  private readonly pairs = new PairNumbers();
  private readonly froms = new NumberList();
  private readonly tos = new NumberList();
  private readonly visits = new CountTable(1);

  get bytes(): number {
    return this.pairs.bytes + this.froms.bytes + this.tos.bytes + this.visits.bytes;
  }

  /** Counts a visit. Returns the item that it is counted in, from which its next link leads. */
  add(from: number, to: number): number {
    const isKnown = !this.isClosed || this.pairs.find(from, to) !== undefined;
    const counted = isKnown ? to : OTHER_ITEM;
    this.isMerged ||= !isKnown;
    const link = this.pairs.numberOf(from, counted);
    if (link === this.froms.size) {
      this.froms.push(from);
      this.tos.push(counted);
    }
    this.visits.add(link, 0);
    return counted;
  }

  forEach(work: (from: number, to: number, visits: number) => void): void {
    const [froms, tos] = [this.froms.values, this.tos.values];
    for (let link = 0; link < froms.length; link++) work(froms[link]!, tos[link]!, this.visits.of(link, 0));
  }
}
