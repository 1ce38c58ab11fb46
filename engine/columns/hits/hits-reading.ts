import { dayText } from '../../ground/time/days';
import { NotSeen, Problem } from '../../ground/errors';
import type { Reader } from '../../database/database';
import { inChunks } from '../../database/rows';
import { FILE_FORMATS } from '../../hits/files/file-formats';
import { HitsRemoved, MAX_BYTES_READ_AT_ONCE } from '../batches/batches';
import { bytesOfVisitors, VisitorNumbers } from '../encoding/visitor-numbers';
import { isSeen } from '../../hits/seen-if';
import type { Reading } from '../segments/hits-in-columns';
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
import type { DaySelection } from './day-selection';
import { type ExportedHit, hitLines } from '../../hits/hit-lines';
import { type HitsRequest, type HitsVersion, type HitsVersionRequest } from '../../questions/hits-request';

/** The limits of a piece of a file, which is sent as a whole. Before the next one, other queries have their turns. */
const PIECE = { bytes: 1024 * 1024, milliseconds: 100, hits: 250 };

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
      const days = await readSeenDays(reader, websiteId, seenIf, range);
      if (!days) throw new NotSeen();
      return JSON.stringify(days);
    }, patienceMs);
  }

  async lines(request: HitsRequest, limit: TimeLimit): Promise<ListInPieces> {
    const { seenIf, websiteId, version } = request;
    if (!(await this.database.read((reader) => isSeen(reader, websiteId, seenIf), limit.patienceMs)))
      throw new NotSeen();
    const days = JSON.parse(version) as HitsOfDay[];
    return { bytes: bytesOf(days), pieces: this.piecesOf(request, days, limit) };
  }

  /** A piece ends when it is large or has taken long, so it may be empty. */
  private async *piecesOf(request: HitsRequest, days: HitsOfDay[], limit: TimeLimit): AsyncGenerator<Buffer> {
    const lines = hitLines(FILE_FORMATS.find(({ type }) => type === request.type)!);
    let endsAt = performance.now() + PIECE.milliseconds;
    for (const listed of days)
      for await (const hits of this.hitsOf(request, listed, limit)) {
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
    limit: TimeLimit,
  ): AsyncGenerator<ExportedHit[]> {
    const { websiteId } = request;
    const { stored, selected } = await this.found(request, listed, limit);
    if (selected && !selected.includes(1)) {
      yield [];
      return;
    }
    const [visitors, day] = [new VisitorNumbers(), dayText(stored.day)];
    // Each part is read in a read of its own, so that a slow client holds no snapshot open.
    const read: Reading = (work) => this.database.read(work, limit.patienceMs);
    try {
      for await (const { hits, end } of readHitsFrom(read, websiteId, stored)) {
        let place = end - hits.length;
        for (const some of inChunks(hits, PIECE.hits)) {
          // A visitor always has the same number, whichever hits of the day are exported.
          const all = some.map((hit) => ({ hit, day, visitor: visitors.of(hit.visitor) }));
          const first = place;
          yield selected ? all.filter((_, index) => selected[first + index] === 1) : all;
          place += some.length;
        }
      }
    } catch (error) {
      throw error instanceof HitsRemoved ? await this.reasonOf(error, request, stored) : error;
    }
  }

  /** The current place of a day, which may have been sealed since it was listed, and which of its hits are exported. */
  private async found(
    request: HitsRequest,
    listed: HitsOfDay,
    limit: TimeLimit,
  ): Promise<{ stored: HitsOfDay; selected?: Uint8Array }> {
    const { websiteId, filter } = request;
    const { day } = listed;
    if (filter) {
      const { selected, stored } = await this.selection!.select(websiteId, day, filter, limit);
      if (selected.length < listed.hits)
        throw await this.reasonOf(new HitsRemoved(websiteId, day, selected.length), request, listed);
      return { stored: placeOf(listed, stored), selected };
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
  if (columns?.hits !== (listed.columns?.hits ?? listed.hits)) throw new StatisticsChanged();
  return { ...listed, columns: listed.columns ?? columns };
}
