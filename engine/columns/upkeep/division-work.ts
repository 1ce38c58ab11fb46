import { isDeepStrictEqual } from 'node:util';
import type { Database } from '../../database/database';
import { inPieces, type Queryable } from '../../database/rows';
import { countVisitors } from './visitors-of-days';
import { filterOf, type ResolvedFilter } from '../../questions/parse/filter';
import { type Exclusion, excludingIn, keptOf } from '../../questions/exclusions';
import { Zone } from '../../questions/plan/buckets';
import { HitsRemoved } from '../batches/batches';
import { readExclusions } from '../left-out';
import { readPageFilters } from '../page-filters';
import { addToDivision, divide, isShared, readDivision } from '../day-blocks';
import { addSection, SPANS } from '../rollups/rollup-format';
import { readRollups, readSpans } from '../rollups/rollup-rows';
import { DaysChanged } from '../segments/hit-segments';
import { type HitsOfDay, readDays } from '../stored-days';
import { Sums } from '../../hits/sums';
import type { OverDays } from '../seal/sealing-times';
import { SEALING_LIMITS, SEALING_MEMORY } from '../seal/sealing-memory';
import { type ColumnTurn, type ColumnWork, pauseIn, TurnEnded, writeIn } from './column-work';

const LAST_DAY = 2 ** 31 - 1;
/** What is counted for one transaction. */
const DAYS_AT_ONCE = 100;
const HITS_AT_ONCE = 256 * 1024;

/** The state in which each day had no visitors to see. In another state, or once it is final, it is counted again. */
export type EmptyDays = Map<number, string>;

interface DivisionRules extends Pick<OverDays, 'statsFrom' | 'finalBefore' | 'timezone'> {
  isPaused: (day: number) => boolean;
  emptyDays: EmptyDays;
}

/** What viewers of a shared page can see. */
interface Sharing {
  filters: ResolvedFilter[] | undefined;
  exclusions: Exclusion[];
}

/** A day that can be counted: from its rollup, or else from its columns. */
interface Countable {
  day: number;
  stored: HitsOfDay | undefined;
  isRolledUp: boolean;
}

/** Divides the sealed days of a shared website into blocks, the oldest days first. */
export class DivisionWork implements ColumnWork {
  /** A failure suspends these days. */
  readonly days: readonly number[];

  private constructor(
    private readonly database: Database,
    private readonly websiteId: number,
    private readonly sharing: Sharing,
    private readonly countable: readonly Countable[],
    private readonly rules: DivisionRules,
  ) {
    this.days = countable.map(({ day }) => day);
  }

  /** Undefined if the website is private, its page's filter is not known yet, or all of its days are divided. */
  static async next(
    database: Database,
    websiteId: number,
    rules: DivisionRules,
  ): Promise<DivisionWork | undefined> {
    const sharing = await readSharing(database, websiteId);
    if (!sharing) return undefined;
    const divided = new Set((await readDivision(database, websiteId)).map(({ day }) => day));
    const isEmpty = (own: Countable) =>
      rules.emptyDays.get(own.day) === stateOf(own, sharing) && !isFinal(own, rules);
    const isNew = (own: Countable) => !divided.has(own.day) && !rules.isPaused(own.day) && !isEmpty(own);
    const countable = await findCountable(database, websiteId, sharing, rules.statsFrom);
    const hitsOf = ({ stored, isRolledUp }: Countable) => (isRolledUp ? 0 : stored!.hits);
    const [some] = inPieces(countable.filter(isNew), DAYS_AT_ONCE, HITS_AT_ONCE, hitsOf);
    return some && new DivisionWork(database, websiteId, sharing, some, rules);
  }

  async run(turn: ColumnTurn): Promise<void> {
    const { largestBytes, dayBytes } = SEALING_LIMITS;
    const { filters, exclusions } = this.sharing;
    const bytes = filters || exclusions.length > 0 ? largestBytes : dayBytes;
    try {
      await SEALING_MEMORY.takeDuring(bytes, turn.goOn, () => this.divide(turn));
    } catch (error) {
      const isOver = [TurnEnded, DaysChanged, HitsRemoved].some((own) => error instanceof own);
      if (!isOver) throw error;
    }
  }

  private async divide(turn: ColumnTurn): Promise<void> {
    const { websiteId, sharing, rules } = this;
    const counted = this.withoutEmpty(await this.count(turn));
    if (counted.size === 0) return;
    await writeIn(turn, async (manager) => {
      if (!isDeepStrictEqual(await readSharing(manager, websiteId), sharing)) throw new DaysChanged();
      const before = await readDivision(manager, websiteId);
      await addToDivision(manager, websiteId, divide(before, counted, rules.statsFrom));
    });
  }

  private async count(turn: ColumnTurn): Promise<Map<number, number>> {
    const { websiteId, sharing, rules } = this;
    const rolledUp = this.countable.filter(({ isRolledUp }) => isRolledUp).map(({ day }) => day);
    const days = this.countable.flatMap(({ stored, isRolledUp }) => (isRolledUp ? [] : [stored!]));
    const filter = sharing.filters && filterOf(sharing.filters);
    const spans = days.map(({ day }) => ({ from: day, to: day }));
    const seen = keptOf(filter, excludingIn(sharing.exclusions, spans));
    const wanted = { websiteId, days, filter: seen, zone: new Zone(rules.timezone) };
    return this.database.read(async (reader) => {
      const counted = await countVisitors(reader, wanted, pauseIn(turn));
      for (const [day, visitors] of await rolledUpVisitors(reader, websiteId, rolledUp))
        counted.set(day, visitors);
      return counted;
    });
  }

  /** A day without visitors is left out while it may still get some. */
  private withoutEmpty(counted: Map<number, number>): Map<number, number> {
    const { sharing, rules } = this;
    for (const own of this.countable) {
      rules.emptyDays.delete(own.day);
      if (isFinal(own, rules) || counted.get(own.day) !== 0) continue;
      counted.delete(own.day);
      rules.emptyDays.set(own.day, stateOf(own, sharing));
    }
    return counted;
  }
}

function stateOf({ stored }: Countable, { filters, exclusions }: Sharing): string {
  return JSON.stringify([stored?.hits, stored?.version, filters, exclusions]);
}

/** Tells whether the day gets no further hits. */
function isFinal({ day, stored }: Countable, { finalBefore }: DivisionRules): boolean {
  return day < finalBefore && stored?.hits === stored?.columns?.hits;
}

/** Undefined if the website is private, or its page's filter is not known yet. */
export async function readSharing(reader: Queryable, websiteId: number): Promise<Sharing | undefined> {
  const shared = await reader.query<object[]>(
    `SELECT id FROM websites WHERE id = ? AND ${isShared('websites')}`,
    [websiteId],
  );
  if (shared.length === 0) return undefined;
  const page = await readPageFilters(reader, websiteId);
  if (!page.isNoted) return undefined;
  const filters = page.text === undefined ? undefined : (JSON.parse(page.text) as ResolvedFilter[]);
  return { filters, exclusions: await readExclusions(reader, websiteId) };
}

/** Rollups have no hits, which a filter needs. */
async function findCountable(
  reader: Queryable,
  websiteId: number,
  { filters }: Sharing,
  from: number,
): Promise<Countable[]> {
  const stored = new Map((await readDays(reader, websiteId, { from })).map((own) => [own.day, own]));
  const spans = filters ? [] : await readSpans(reader, websiteId, SPANS.day, from, LAST_DAY);
  const rolledUp = new Set(spans.map(({ day }) => day));
  const days = new Set([...stored.keys(), ...rolledUp]);
  return Array.from(days)
    .sort((one, other) => one - other)
    .map((day) => ({ day, stored: stored.get(day), isRolledUp: rolledUp.has(day) }))
    .filter((own) => own.isRolledUp || own.stored?.columns);
}

async function rolledUpVisitors(
  reader: Queryable,
  websiteId: number,
  days: readonly number[],
): Promise<[day: number, visitors: number][]> {
  if (days.length === 0) return [];
  const sums = new Sums();
  const ranges = { months: undefined, days: days.map((day) => ({ from: day, to: day })) };
  for await (const sections of readRollups(reader, websiteId, 'visitor', ranges))
    for (const section of sections) addSection(sums, section);
  return days.map((day) => [day, sums.counts[day] ?? 0]);
}
