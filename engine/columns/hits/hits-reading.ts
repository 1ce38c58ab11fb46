import { dayText } from '../../ground/time/days';
import { NotSeen, Problem } from '../../ground/errors';
import type { Reader } from '../../database/database';
import { inChunks, type Reading } from '../../database/rows';
import { FILE_FORMATS } from '../../hits/files/file-formats';
import { isRemote } from '../segments/hit-segments';
import { HitsRemoved, MAX_BYTES_READ_AT_ONCE } from '../batches/batches';
import { bytesOfVisitors, VisitorNumbers } from '../encoding/visitor-numbers';
import { isSeen } from '../../hits/seen-if';
import {
  bytesOfPart,
  type HitsOfDay,
  isUnmoved,
  lateHits,
  readDay,
  readHitsFrom,
  readSeenDays,
} from '../stored-days';
import { pause, type TimeLimit } from '../../ground/deadline-check';
import type { ListInPieces } from '../threads/open-lists';
import { type Exclusion, excludingIn, keptBy } from '../../questions/exclusions';
import { readExclusions } from '../left-out';
import { NeedsHome } from '../homes/homes';
import { NeedsScan } from '../plain/counted-days';
import type { DaySelection } from './day-selection';
import { type ExportedHit, hitLines } from '../../hits/files/hit-lines';
import { type HitsRequest, type HitsVersion, type HitsVersionRequest } from '../../questions/hits-request';

/** The limits of a piece of a file, which is sent as a whole. Before the next one, other queries have their turns. */
const PIECE = { bytes: 1024 * 1024, milliseconds: 100, hits: 250 };

/** The content of `HitsVersion`. */
interface ListedHits {
  readonly days: HitsOfDay[];
  /** What is excluded on some of the days. */
  readonly exclusions: readonly Exclusion[];
}

class StatisticsChanged extends Problem {
  constructor() {
    super('statistics_changed', 'Hits were removed or sealed meanwhile. Try again.', {
      retryAfterSeconds: 1,
    });
  }
}

/** Reads stored hits and writes them as lines. */
export class HitsReading {
  constructor(
    private readonly database: Reader,
    /** Threads without it read no hits of a filter. */
    private readonly selection?: DaySelection,
  ) {}

  version({ seenIf, websiteId, range }: HitsVersionRequest, { patienceMs }: TimeLimit): Promise<HitsVersion> {
    return this.database.read(async (reader) => {
      const seen = await readSeenDays(reader, websiteId, seenIf, range);
      if (!seen) throw new NotSeen();
      const { days, isPartly } = seen;
      const exclusions = isPartly ? excludingIn(await readExclusions(reader, websiteId), [range]) : [];
      return JSON.stringify({ days, exclusions } satisfies ListedHits);
    }, patienceMs);
  }

  async lines(request: HitsRequest, limit: TimeLimit): Promise<ListInPieces> {
    const { seenIf, websiteId, version } = request;
    if (!(await this.database.read((reader) => isSeen(reader, websiteId, seenIf), limit.patienceMs)))
      throw new NotSeen();
    const listed = JSON.parse(version) as ListedHits;
    // A remote home may take long, and few threads answer everything else.
    const asksHome = listed.days.some(isInRemoteHome);
    if ((asksHome || listed.exclusions.length > 0) && !this.selection) throw new NeedsScan();
    return { bytes: bytesOf(listed.days), asksHome, pieces: this.piecesOf(request, listed, limit) };
  }

  /** A piece ends when it is large or has taken long, so it may be empty. */
  private async *piecesOf(
    request: HitsRequest,
    { days, exclusions }: ListedHits,
    limit: TimeLimit,
  ): AsyncGenerator<Buffer> {
    const lines = hitLines(FILE_FORMATS.find(({ type }) => type === request.type)!);
    let endsAt = performance.now() + PIECE.milliseconds;
    for (const listed of days)
      for await (const hits of this.hitsOf(request, listed, exclusions, limit)) {
        lines.add(hits);
        await pause(limit.check);
        if (lines.bytes < PIECE.bytes && performance.now() < endsAt) continue;
        yield lines.take();
        endsAt = performance.now() + PIECE.milliseconds;
      }
    yield lines.take();
  }

  /** The exported hits of a day. Some lists are empty, because finding hits takes a while. */
  private async *hitsOf(
    request: HitsRequest,
    listed: HitsOfDay,
    exclusions: readonly Exclusion[],
    limit: TimeLimit,
  ): AsyncGenerator<ExportedHit[]> {
    const { websiteId } = request;
    const { stored, selected, kept } = await this.found(request, listed, exclusions, limit);
    if (selected && !selected.includes(1)) {
      yield [];
      return;
    }
    const [visitors, day] = [new VisitorNumbers(), dayText(stored.day)];
    // Each part is read in a read of its own, so that a slow client holds no snapshot open.
    const read: Reading = (work) => this.database.read(work, limit.patienceMs);
    try {
      for await (const { hits, end } of readHitsFrom(read, websiteId, stored, limit.check)) {
        let place = end - hits.length;
        for (const some of inChunks(hits, PIECE.hits)) {
          // A visitor always has the same number, whichever hits of the day are exported.
          const first = place;
          const all = some.map((hit, index) => ({
            ...{ hit, day, visitor: visitors.of(hit.visitor) },
            isExcluded: kept?.[first + index] === 0,
          }));
          yield selected ? all.filter((_, index) => selected[first + index] === 1) : all;
          place += some.length;
        }
      }
    } catch (error) {
      // The day has moved since it was listed.
      if (error instanceof NeedsHome) throw new StatisticsChanged();
      throw error instanceof HitsRemoved ? await this.reasonOf(error, request, stored) : error;
    }
  }

  /**
   * The current place of a day, which may have been sealed since it was listed, which of its hits are exported, and which
   * are not excluded.
   */
  private async found(
    request: HitsRequest,
    listed: HitsOfDay,
    exclusions: readonly Exclusion[],
    limit: TimeLimit,
  ): Promise<{ stored: HitsOfDay; selected?: Uint8Array | undefined; kept?: Uint8Array | undefined }> {
    const { websiteId, filter } = request;
    const { day } = listed;
    const notExcluded = keptBy(excludingIn(exclusions, [{ from: day, to: day }]));
    if (filter ?? notExcluded) {
      const filters = { selected: filter, kept: notExcluded };
      const { stored, selected, kept } = await this.selection!.select(websiteId, day, filters, limit);
      const hits = stored?.hits ?? 0;
      if (hits < listed.hits)
        throw await this.reasonOf(new HitsRemoved(websiteId, day, hits), request, listed);
      return { stored: placeOf(listed, stored), selected, kept };
    }
    if (listed.columns) return { stored: listed };
    const now = await this.database.read((reader) => readDay(reader, websiteId, day), limit.patienceMs);
    return { stored: placeOf(listed, now) };
  }

  /** The reason why hits are missing: the website was deleted, the day was removed or moved, or hits were lost. */
  private reasonOf(
    error: HitsRemoved,
    { seenIf, websiteId }: HitsRequest,
    stored: HitsOfDay,
  ): Promise<Error> {
    return this.database.read(async (reader) => {
      if (!(await isSeen(reader, websiteId, seenIf))) return new NotSeen();
      return (await isUnmoved(reader, websiteId, stored)) ? error.asDamage() : new StatisticsChanged();
    });
  }
}

function isInRemoteHome({ columns }: HitsOfDay): boolean {
  return columns !== undefined && isRemote(columns.home);
}

/** The memory for reading one day at a time. */
function bytesOf(days: HitsOfDay[]): number {
  const most = (of: (day: HitsOfDay) => number) => days.reduce((size, day) => Math.max(size, of(day)), 0);
  const hits = most((day) => day.hits);
  const visitors = bytesOfVisitors(hits) + bytesOfVisitors(most(lateHits));
  return MAX_BYTES_READ_AT_ONCE + most(bytesOfPart) + visitors + hits;
}

/** The hits that were listed, where they are now. */
function placeOf(listed: HitsOfDay, now: HitsOfDay | undefined): HitsOfDay {
  const columns = now?.columns;
  if (!listed.columns && !columns) return listed;
  // Sealing changes the order of hits, and later ones cannot be told apart from the listed ones.
  const isOther = listed.columns !== undefined && columns?.sealedAt !== listed.columns.sealedAt;
  if (isOther || columns?.hits !== (listed.columns?.hits ?? listed.hits)) throw new StatisticsChanged();
  return { ...listed, columns: listed.columns ?? columns };
}
