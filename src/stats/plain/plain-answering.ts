import type { Reader } from '../../database/database';
import { Breakdown } from './breakdown';
import type { EntriesOfName, PageOfName, PlainRequest, PlainResult, WholeRequest } from './plain-request';
import type { Turn } from '../questions/check';
import { ReadCache } from '../read-cache';
import { shownIn, type ShownRequest, type ShownResult } from '../shared/shown-in';
import { Snapshot } from '../snapshot';
import { standing, versionOfDays } from '../state';
import type { ListInPieces } from '../threads/open-lists';
import type { Viewer } from '../viewer';
import { bytesOfWhole, type ReadPart, WholeBreakdown } from './whole-breakdown';

/** Answers what is asked about the fourteen names of a website, all of one moment. */
export class PlainAnswering {
  private readonly cache = new ReadCache();

  constructor(private readonly reader: Reader) {}

  /** Does several things with what a website has at one moment. */
  at<T>(
    viewer: Viewer,
    websiteId: number,
    work: (snapshot: Snapshot) => Promise<T>,
    { patienceMs, check = () => undefined }: Partial<Turn> = {},
  ): Promise<{ result: T; asOf: Date }> {
    return this.reader.read(async (manager) => {
      const { state, asOf } = await standing(this.reader, manager, viewer, websiteId);
      return { result: await work(new Snapshot(manager, websiteId, state, this.cache, check)), asOf };
    }, patienceMs);
  }

  async answer(request: PlainRequest, turn: Turn): Promise<PlainResult> {
    const { viewer, websiteId, range, previous } = request;
    const ranges = previous ? [previous, range] : [range];
    const entriesIn = async (snapshot: Snapshot) => {
      const names: EntriesOfName[] = [];
      for (const asked of request.names) {
        turn.check();
        names.push(await entriesOf(snapshot, asked, request));
      }
      return { names, version: versionOfDays(snapshot.state, ranges) };
    };
    const { result, asOf } = await this.at(viewer, websiteId, entriesIn, turn);
    return { ...result, asOf };
  }

  /** As viewers of a shared page see it. */
  async shown(request: ShownRequest, turn: Turn): Promise<ShownResult> {
    const { viewer, websiteId } = request;
    const work = (snapshot: Snapshot) => shownIn(snapshot, request, turn.check);
    const { result, asOf } = await this.at(viewer, websiteId, work, turn);
    return { ...result, asOf };
  }

  /** All entries of a name. They are of one moment; the values are looked up long after it. */
  async whole(request: WholeRequest, turn: Turn): Promise<ListInPieces> {
    const { viewer, websiteId, name, range, previous, search, order } = request;
    const added = (snapshot: Snapshot) => Breakdown.of(snapshot, { name, range, search }, previous);
    const { result: breakdown } = await this.at(viewer, websiteId, added, turn);
    const { sums, epoch } = breakdown;
    const read: ReadPart = (work) => this.reader.read(work, turn.patienceMs);
    const whole = new WholeBreakdown(read, websiteId, name, sums, epoch, turn.check).inOrder(order);
    return { bytes: bytesOfWhole(sums), pieces: piecesOf(breakdown, whole) };
  }
}

async function* piecesOf(breakdown: Breakdown, whole: ReturnType<WholeBreakdown['inOrder']>) {
  for await (const counted of whole) yield counted.map(({ id, value }) => breakdown.entry(id, value));
}

async function entriesOf(
  snapshot: Snapshot,
  { name, search, order, skip, take, days }: PageOfName,
  { range, previous }: PlainRequest,
): Promise<EntriesOfName> {
  const breakdown = await Breakdown.of(snapshot, { name, range, search }, previous);
  const entries = await (days ? breakdown.days(days.fill) : breakdown.page(order, skip, take));
  let mergedDays = 0;
  for (const one of previous ? [previous, range] : [range])
    mergedDays += await snapshot.limitedDays(name, one);
  return {
    entries,
    total: days ? entries.length : breakdown.total,
    sum: breakdown.sum,
    previousSum: breakdown.previousSum,
    mergedDays,
  };
}
