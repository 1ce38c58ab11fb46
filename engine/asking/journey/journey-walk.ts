import { hasDay } from '../../questions/plan/range-days';
import type { BlockView } from '../select/block-view';
import { ComparedValues } from '../select/compared-values';
import { ALL_MATCH, inBoth, type Matches, matchesAny } from '../select/matching-rows';
import { hitsWithin } from '../select/moments';
import type { Selection } from '../select/selection';
import { shownHits } from '../walk/shown-hits';
import type { Walk, WalkTools } from '../walk/walk';
import type { PartialJourney } from '../partial';
import { addedItemOf, itemOf, itemsIn, ItemTexts, NO_ITEM, START } from './items';
import { conditionOf, type JourneyCounts, type JourneyRequest } from '../../questions/journey-request';
import { JourneyWriter } from './journey-writer';
import { StepLinks } from './step-links';

/** The hits of a block, as journeys see them. */
interface ShownHits {
  items: Uint32Array;
  shown: Uint8Array | undefined;
  /** The item of the start. Undefined if each visit begins with its first hit. */
  start: number | undefined;
}

/** Follows each visit from its start. A visit counts once. */
export class JourneyWalk implements Walk<JourneyCounts, PartialJourney> {
  private visits = 0;
  private othersAreMerged = false;
  private readonly links: StepLinks[];
  private readonly selection: Selection | undefined;
  private readonly seen: Selection | undefined;
  private readonly compared: ComparedValues;

  constructor(
    private readonly request: JourneyRequest,
    private readonly tools: WalkTools,
  ) {
    const { filter, seen, from, steps } = request;
    this.links = Array.from({ length: steps }, () => new StepLinks());
    this.selection = filter && tools.selections.of(filter);
    this.seen = seen && tools.selections.of(seen);
    const conditions = [...(filter ? [filter] : []), ...(from === 'entry' ? [] : [conditionOf(from)])];
    this.compared = new ComparedValues(conditions, tools.values);
  }

  get isMerged(): boolean {
    const { values } = this.tools;
    return (
      this.othersAreMerged ||
      values.isMerged('page') ||
      values.isMerged('event') ||
      this.links.some(({ isMerged }) => isMerged)
    );
  }

  covers(day: number): boolean {
    return hasDay(this.request.range, day);
  }

  add(view: BlockView): void {
    const { isKnown, visitors: size } = view.block;
    const { from } = this.request;
    const start = from === 'entry' ? undefined : itemOf(from, this.tools.values);
    if (from !== 'entry' && start === undefined) return;
    const { visitors, hits } = this.selected(view);
    const { begins, ofVisitors } = view.visitsOf(visitors);
    const shown = shownHits(view, this.request.range, this.seen);
    const block = { items: itemsIn(view), shown, start };
    for (let visitor = 0; visitor < size; visitor++) {
      if (isKnown[visitor] === 0 || visitors?.[visitor] === 0) continue;
      for (let visit = ofVisitors[visitor]!, last = ofVisitors[visitor + 1]!; visit < last; visit++) {
        const [begin, end] = [begins[visit]!, begins[visit + 1]!];
        if (!hits || matchesAny(hits, begin, end)) this.follow(block, begin, end);
      }
    }
    this.limitMemory();
  }

  partial(): PartialJourney {
    const { visits, isMerged } = this;
    const texts = new ItemTexts(this.tools.values);
    const links = this.links.map((own) => {
      const all: PartialJourney['links'][number][number][] = [];
      own.forEach((from, to, count) => all.push([texts.partial(from), texts.partial(to), count]));
      return all;
    });
    return { visits, links, isMerged };
  }

  addPartial({ visits, links, isMerged }: PartialJourney): void {
    const { values } = this.tools;
    this.othersAreMerged ||= isMerged;
    this.visits += visits;
    for (const [step, own] of links.entries())
      for (const [from, to, count] of own)
        this.links[step]!.add(addedItemOf(from, values), addedItemOf(to, values), count);
    this.limitMemory();
  }

  result(): JourneyCounts {
    this.compared.expectWhole('filters', this.request.asker);
    return new JourneyWriter(this.visits, this.links, this.tools).counts();
  }

  /** Visits with one of these hits are followed. */
  private selected(view: BlockView): Matches {
    const matches = this.selection?.of(view) ?? ALL_MATCH;
    const within = hitsWithin(this.request.range, view);
    return within ? inBoth({ hits: within }, matches) : matches;
  }

  private follow(block: ShownHits, begin: number, end: number): void {
    const { isBackwards } = this.request;
    const direction = isBackwards ? -1 : 1;
    const stop = isBackwards ? begin - 1 : end;
    let hit = isBackwards ? end - 1 : begin;
    while (hit !== stop && !isStart(block, hit)) hit += direction;
    if (hit === stop) return;
    this.visits += 1;
    this.followFrom(block, hit, stop, direction);
  }

  /** Equal hits in a row are one step. */
  private followFrom(
    { items, shown, start }: ShownHits,
    first: number,
    stop: number,
    direction: number,
  ): void {
    const { links } = this;
    let last = start ?? NO_ITEM;
    let source = START;
    let step = 0;
    for (let hit = first; hit !== stop && step < links.length; hit += direction) {
      const item = items[hit]!;
      if (item === last || shown?.[hit] === 0) continue;
      source = links[step++]!.add(source, item);
      last = item;
    }
  }

  private limitMemory(): void {
    const { memory } = this.tools;
    const bytes = this.links.reduce((sum, links) => sum + links.bytes, 0);
    if (memory.isShortFor(bytes)) for (const links of this.links) links.isClosed = true;
    memory.reserve(bytes);
  }
}

function isStart({ items, shown, start }: ShownHits, hit: number): boolean {
  return shown?.[hit] !== 0 && (start === undefined || items[hit] === start);
}
