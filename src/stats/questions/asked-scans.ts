import type { Stretch } from '../../storage/stretch';
import { arraysOfList } from '../../common/text-list';
import { OTHER } from '../../storage/value-limits';
import { AnswerWriter } from './answer';
import { valuesAsked, valuesShown } from './asked-values';
import type { Zone } from './buckets';
import { type Check, checkBetween } from './check';
import { keyOf, type Values } from './derived';
import { addFound, type FoundCounts, foundBy } from './found-counts';
import { GroupKeys } from './group-keys';
import { type AskedName, placeOf } from './names';
import { ALL_PASS, type Passed } from './passed';
import type { Answer, Question, Range } from './question';
import type { RowMemory } from './row-memory';
import { Scan } from './scan';
import type { Selection } from './selection';
import type { Selections } from './selections';
import { StretchView } from './stretch-view';
import { type KnownSizes, type TheirTexts, type Translations, untoldTexts } from './translations';
import type { WebsiteValues } from './website-values';

interface Asked {
  scan: Scan;
  /** Of the range that it is compared with. */
  previous: Scan | undefined;
  selection: Selection | undefined;
}

/** What was found for the questions of a request, in a form that another thread understands. */
export interface Found {
  /** Of all scans, in their order. */
  counts: FoundCounts[];
  /** By the key of their values. */
  texts: Map<string, TheirTexts>;
  /** Whether further values of a name were taken together. */
  isMerged: boolean;
}

/** The arrays that it has, which go to another thread without a copy. */
export function arraysOfFound({ counts, texts }: Found): ArrayBufferView[] {
  return [
    ...counts.flatMap(({ dimensions, metrics }) => [...dimensions, ...metrics]),
    ...Array.from(texts.values(), (own) => arraysOfList(own.texts)).flat(),
  ];
}

/** The questions of a request while they are counted. */
export class AskedScans {
  private readonly asked: Asked[];
  private readonly scans: Scan[];
  private readonly asksFor: Values[];
  /** Values that the rows have, by their keys. */
  private readonly shown: Map<string, Values>;
  private isMergedElsewhere = false;

  constructor(
    questions: Question[],
    selections: Selections,
    zone: Zone,
    private readonly values: WebsiteValues,
    private readonly memory: RowMemory,
    private readonly check: Check,
  ) {
    this.asksFor = valuesAsked(questions);
    this.shown = new Map(valuesShown(questions).map((own) => [keyOf(own), own]));
    this.asked = questions.map((question) => {
      const keys = new GroupKeys(question.dimensions.length, () => otherCodes(question.dimensions, values));
      const scanOf = (range: Range) => new Scan(question, range, keys, zone, check, memory);
      return {
        scan: scanOf(question.range),
        previous: question.previous && scanOf(question.previous),
        selection: question.filter && selections.of(question.filter),
      };
    });
    this.scans = this.asked.flatMap(({ scan, previous }) => (previous ? [scan, previous] : [scan]));
  }

  /** Whether further values of a name were taken together. */
  get isMerged(): boolean {
    return this.isMergedElsewhere || this.asksFor.some((own) => this.values.isMerged(own));
  }

  covers(day: number): boolean {
    return this.scans.some((scan) => scan.covers(day));
  }

  async addAll(stretches: AsyncIterable<Stretch>): Promise<void> {
    for await (const stretch of stretches) {
      this.check();
      this.add(stretch);
    }
  }

  /** How many codes of texts are known that other threads may have found. */
  knownOf(translations: Translations): KnownSizes {
    return translations.sizesOf(Array.from(this.shown.values(), (values) => this.values.of(values)));
  }

  found(known: KnownSizes): Found {
    return {
      counts: this.scans.map(foundBy),
      texts: new Map(
        Array.from(this.shown, ([key, values]) => [key, untoldTexts(this.values.of(values), known)]),
      ),
      isMerged: this.isMerged,
    };
  }

  /** Adds what was found for the same questions elsewhere. */
  addFound({ counts, texts, isMerged }: Found, translations: Translations): void {
    const ownCodes = new Map(
      Array.from(texts, ([key, theirs]) => [
        key,
        translations.add(this.values.of(this.shown.get(key)!), theirs),
      ]),
    );
    const ownCodesOf = (name: AskedName) => {
      const place = placeOf(name);
      return place.level === 'moment' ? undefined : ownCodes.get(keyOf(place.values));
    };
    for (const [index, scan] of this.scans.entries()) {
      addFound(scan, counts[index]!, ownCodesOf, checkBetween(this.check));
      this.memory.check(scan);
    }
    this.isMergedElsewhere ||= isMerged;
  }

  answers(): Answer[] {
    return this.asked.map(({ scan, previous }) =>
      new AnswerWriter(scan, previous, this.values, this.check).answer(),
    );
  }

  /** All of its days are in the same ranges. */
  private add(stretch: Stretch): void {
    const view = new StretchView(stretch, this.values);
    const { day } = stretch.days[0]!;
    const passed = new Map<Selection, Passed>();
    for (const { scan, previous, selection } of this.asked)
      for (const one of [scan, previous]) {
        if (!one?.covers(day)) continue;
        if (selection && !passed.has(selection)) passed.set(selection, selection.of(view));
        one.add(view, selection ? passed.get(selection)! : ALL_PASS);
      }
  }
}

function otherCodes(dimensions: AskedName[], values: WebsiteValues): (number | undefined)[] {
  return dimensions.map((name) => {
    const place = placeOf(name);
    return place.level === 'moment' ? undefined : values.of(place.values).codeOf(OTHER);
  });
}
