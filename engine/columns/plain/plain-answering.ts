import type { Reader } from '../../database/database';
import { Breakdown } from './breakdown';
import type {
  EntriesOfName,
  PageOfName,
  PlainRequest,
  PlainResult,
  WholeRequest,
} from '../../questions/plain-request';
import { pause, type TimeLimit } from '../../ground/deadline-check';
import { shownIn } from './stats-for-viewers';
import type { ShownRequest, ShownResult } from '../../questions/viewers/answer-for-viewers';
import type { Order } from '../../questions/plain-request';
import { type CountedEntry, Snapshot } from './snapshot';
import { readState, versionOfDays } from '../website-state';
import type { ListInPieces } from '../threads/open-lists';
import type { Asker } from '../../questions/asker';
import { excludedBy } from '../../questions/exclusions';
import type { Zone } from '../../questions/plan/buckets';
import { memoryOfThreads, WorkingMemory } from '../../asking/memory/working-memory';
import { PlainCache } from './plain-cache';
import { inSteps } from '../../ground/time/work-in-steps';
import type { Sums } from '../../hits/sums';
import { arranged, weightsOf } from './values/ranking';
import type { NameValues } from './values/name-values';
import type { Pause } from './values/value-order';

/** Answers requests about the fourteen names of a website. Each answer is of one moment. */
export class PlainAnswering {
  private readonly cache: PlainCache;

  constructor(
    private readonly database: Reader,
    /** The maximum number of values of a name on a day. */
    private readonly maxValues: number,
    threads = 1,
    private readonly ofThread = memoryOfThreads(1)[0]!,
    /** Set if hits may be scanned by a filter. Else `NeedsScan` is thrown where that is necessary. */
    private readonly zone?: Zone,
  ) {
    this.cache = new PlainCache(threads, zone !== undefined);
  }

  dropHashes(): void {
    this.cache.dropHashes();
  }

  /** Runs work on a snapshot of a website. */
  at<T>(
    { asker, websiteId, statsFrom }: { asker: Asker; websiteId: number; statsFrom: number },
    work: (snapshot: Snapshot) => Promise<T>,
    { patienceMs, check = () => undefined }: Partial<TimeLimit> = {},
  ): Promise<{ result: T; asOf: Date }> {
    const { cache, maxValues, zone } = this;
    const giveWay = () => pause(check);
    const memory = new WorkingMemory(this.ofThread, 'countedDays');
    const answered = this.database.read(async (reader) => {
      const { state, asOf } = await readState(this.database, reader, asker, websiteId);
      const columns = cache.takeColumns(websiteId);
      const of = {
        reader,
        websiteId,
        cache,
        columns,
        maxValues,
        take: memory.take,
        pause: giveWay,
        check,
        zone,
      };
      try {
        const snapshot = new Snapshot(of, state, statsFrom);
        const result = await work(snapshot);
        await snapshot.keepValues();
        cache.setColumns(websiteId, columns);
        return { result, asOf };
      } finally {
        cache.largeDays.end(of);
      }
    }, patienceMs);
    return answered.finally(() => memory.end());
  }

  async answer(request: PlainRequest, limit: TimeLimit): Promise<PlainResult> {
    const { range, previous } = request;
    const ranges = previous ? [previous, range] : [range];
    const entriesIn = async (snapshot: Snapshot) => {
      const names: EntriesOfName[] = [];
      for (const requested of request.names) {
        limit.check();
        names.push(await entriesOf(snapshot, requested, request));
      }
      const { state } = snapshot;
      const excluded = excludedBy(request.asker, state.exclusions, ranges);
      return { names, excluded, version: versionOfDays(state, ranges, request.statsFrom) };
    };
    const { result, asOf } = await this.at(request, entriesIn, limit);
    return { ...result, asOf };
  }

  /** The statistics for viewers of a shared page. */
  async shown(request: ShownRequest, limit: TimeLimit): Promise<ShownResult> {
    const work = (snapshot: Snapshot) => shownIn(snapshot, request, limit.check);
    const { result, asOf } = await this.at(request, work, limit);
    return { ...result, asOf };
  }

  /** All entries of a name, of one moment. */
  async whole(request: WholeRequest, limit: TimeLimit): Promise<ListInPieces> {
    const { name, range, previous, search, order } = request;
    const addUp = async (snapshot: Snapshot) => ({
      breakdown: await Breakdown.of(snapshot, { name, range, search }, previous),
      values: await snapshot.valuesOf(name),
    });
    const { result } = await this.at(request, addUp, limit);
    const { breakdown, values } = result;
    const whole = wholeInOrder(breakdown.sums, values, order, () => pause(limit.check));
    return { bytes: bytesOfWhole(breakdown.sums, values), pieces: this.pieces(request, breakdown, whole) };
  }

  /** Ends when the website may no longer be seen. */
  private async *pieces(
    { asker, websiteId }: WholeRequest,
    breakdown: Breakdown,
    whole: ReturnType<typeof wholeInOrder>,
  ) {
    for await (const counted of whole) {
      await this.database.read((reader) => readState(this.database, reader, asker, websiteId));
      yield counted.map(({ code, value }) => breakdown.entry(code, value));
    }
  }
}

async function entriesOf(
  snapshot: Snapshot,
  { name, search, order, skip, take, days }: PageOfName,
  { range, previous }: PlainRequest,
): Promise<EntriesOfName> {
  const breakdown = await Breakdown.of(snapshot, { name, range, search }, previous);
  const entries = await (days ? breakdown.days(days.fill) : breakdown.page(order, skip, take));
  let mergedDays = 0;
  const forgotten = new Set<number>();
  for (const one of previous ? [previous, range] : [range]) {
    const counted = await snapshot.count(name, one);
    mergedDays += counted.limitedDays;
    for (const day of counted.forgotten) forgotten.add(day);
  }
  return {
    entries,
    total: days ? entries.length : breakdown.total,
    sum: breakdown.sum,
    previousSum: breakdown.previousSum,
    mergedDays,
    forgotten: [...forgotten],
  };
}

const PIECE = 1000;
/** Two pieces: as rows, as text, and in the send buffer. */
const BYTES_OF_PIECES = 1024 * 1024;

/** The memory of an export: counts, counts of a compared range, weights, the order of codes, and values. */
function bytesOfWhole({ counts }: Sums, values: NameValues): number {
  return 4 * counts.byteLength + values.bytes + BYTES_OF_PIECES;
}

/** All entries of some sums, in pieces. The sums stay in memory, so that a slow client holds no snapshot open. */
async function* wholeInOrder(
  sums: Sums,
  values: NameValues,
  { by, direction }: Order,
  pause: Pause,
): AsyncGenerator<CountedEntry[]> {
  const codes = sums.codes();
  const whole = { skip: 0, take: codes.length, direction: by === 'value' ? direction : ('asc' as const) };
  const byValue = await values.slice(codes, whole, pause);
  const ordered =
    by === 'value'
      ? byValue
      : await inSteps(arranged(Uint32Array.from(byValue), weightsOf(sums.counts, direction)), pause);
  for (let from = 0; from < ordered.length; from += PIECE)
    yield Array.from(ordered.slice(from, from + PIECE), (code) => ({
      code,
      value: values.textOf(code),
      count: sums.counts[code]!,
    }));
}
