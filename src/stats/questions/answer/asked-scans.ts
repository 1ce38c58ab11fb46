import type { HitBlock } from '../../../storage/segments/hit-block';
import { OTHER } from '../../../storage/rollups/limits/value-limits';
import { AnswerWriter } from './answer';
import { valuesAsked } from '../plan/asked-values';
import type { Zone } from '../plan/buckets';
import type { Check } from './check';
import type { Values } from '../plan/derived';
import { GroupKeys } from '../count/group-keys';
import { type AskedName, placeOf } from '../parse/names';
import { ALL_MATCH, type Matches } from '../select/matches';
import type { Answer, Question, Range } from '../plan/question';
import type { RowMemory } from './row-memory';
import { Scan } from '../count/scan';
import type { Selection } from '../select/selection';
import type { Selections } from '../select/selections';
import { BlockView } from '../select/block-view';
import type { WebsiteValues } from '../read/website-values';

interface Asked {
  scan: Scan;
  /** Of the range that it is compared with. */
  previous: Scan | undefined;
  selection: Selection | undefined;
}

/** The questions of a request while they are counted. */
export class AskedScans {
  private readonly asked: Asked[];
  private readonly asksFor: Values[];

  constructor(
    questions: Question[],
    selections: Selections,
    zone: Zone,
    private readonly values: WebsiteValues,
    memory: RowMemory,
    private readonly check: Check,
  ) {
    this.asksFor = valuesAsked(questions);
    this.asked = questions.map((question) => {
      const keys = new GroupKeys(question.dimensions.length, () => otherCodes(question.dimensions, values));
      const scanOf = (range: Range) => new Scan(question, range, keys, zone, check, memory);
      return {
        scan: scanOf(question.range),
        previous: question.previous && scanOf(question.previous),
        selection: question.filter && selections.of(question.filter),
      };
    });
  }

  /** Whether further values of a name were taken together. */
  get isMerged(): boolean {
    return this.asksFor.some((own) => this.values.isMerged(own));
  }

  covers(day: number): boolean {
    return this.asked.some(({ scan, previous }) => scan.covers(day) || previous?.covers(day));
  }

  async addAll(blocks: AsyncIterable<HitBlock>): Promise<void> {
    for await (const block of blocks) {
      this.check();
      this.add(block);
    }
  }

  answers(): Answer[] {
    return this.asked.map(({ scan, previous }) =>
      new AnswerWriter(scan, previous, this.values, this.check).answer(),
    );
  }

  /** All of its days are in the same ranges. */
  private add(block: HitBlock): void {
    const view = new BlockView(block, this.values);
    const { day } = block.days[0]!;
    const matches = new Map<Selection, Matches>();
    for (const { scan, previous, selection } of this.asked)
      for (const one of [scan, previous]) {
        if (!one?.covers(day)) continue;
        if (selection && !matches.has(selection)) matches.set(selection, selection.of(view));
        one.add(view, selection ? matches.get(selection)! : ALL_MATCH);
      }
  }
}

function otherCodes(dimensions: AskedName[], values: WebsiteValues): (number | undefined)[] {
  return dimensions.map((name) => {
    const place = placeOf(name);
    return place.level === 'moment' ? undefined : values.of(place.values).codeOf(OTHER);
  });
}
