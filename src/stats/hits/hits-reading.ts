import { dayText } from '../../common/time/days';
import { Problem } from '../../common/errors';
import { NotFound } from '../../common/problem';
import type { Reader } from '../../database/database';
import { inChunks } from '../../database/rows';
import { FILE_FORMATS } from '../../http/answers/formats';
import type { Reading } from '../../storage/segments/hits-in-columns';
import { HitsRemoved } from '../../storage/batches/batches';
import { readHitsFrom, type HitsOfDay, isUnmoved, readDays } from '../../storage/stored-days';
import { VisitorNumbers } from '../../storage/encoding/visitor-numbers';
import { isSeen, type SeenIf } from '../asker';
import { pause, type Turn } from '../queries/answer/deadline-check';
import type { ListInPieces } from '../threads/open-lists';
import { hitLines } from './hit-lines';
import type { Span } from '../../storage/calendar';

/** A request for the days of a range with hits. */
export interface HitDaysRequest {
  readonly websiteId: number;
  readonly range: Span;
}

/** A request for the hits of a day as lines of a file. */
export interface HitsRequest {
  readonly seenIf: SeenIf;
  readonly websiteId: number;
  readonly day: HitsOfDay;
  /** One for each exported hit, else zero. Undefined if all hits are exported. */
  readonly selected: Uint8Array | undefined;
  /** The type of the file. */
  readonly type: string;
}

/** The limits of a piece of a file, which is sent as a whole. */
const PIECE = { bytes: 256 * 1024, milliseconds: 100, hits: 250 };

export class StatisticsChanged extends Problem {
  constructor() {
    super('statistics_changed', 'Hits were removed or sealed meanwhile. Try again.', {
      retryAfterSeconds: 1,
    });
  }
}

/** Reads stored hits and writes them as lines. */
export class HitsReading {
  constructor(private readonly database: Reader) {}

  days({ websiteId, range }: HitDaysRequest, { patienceMs }: Turn): Promise<HitsOfDay[]> {
    return this.database.read((reader) => readDays(reader, websiteId, range), patienceMs);
  }

  /** Its memory depends on the day. The caller has checked it. */
  lines(request: HitsRequest, turn: Turn): ListInPieces {
    return { bytes: 0, pieces: this.piecesOf(request, turn) };
  }

  /** A piece ends when it is large or has taken long, so it may be empty. */
  private async *piecesOf(request: HitsRequest, turn: Turn): AsyncGenerator<Buffer> {
    const { websiteId, day, selected, type } = request;
    const format = FILE_FORMATS.find((one) => one.type === type)!;
    const [lines, visitors, text] = [hitLines(format), new VisitorNumbers(), dayText(day.day)];
    // Each part is read in a read of its own, so that a slow client holds no snapshot open.
    const read: Reading = (work) => this.database.read(work, turn.patienceMs);
    let endsAt = performance.now() + PIECE.milliseconds;
    try {
      for await (const { hits, end } of readHitsFrom(read, websiteId, day)) {
        let place = end - hits.length;
        for (const some of inChunks(hits, PIECE.hits)) {
          // A visitor always has the same number, whichever hits of the day are exported.
          const all = some.map((hit) => ({ hit, day: text, visitor: visitors.of(hit.visitor) }));
          const first = place;
          lines.add(selected ? all.filter((_, index) => selected[first + index] === 1) : all);
          place += some.length;
          await pause(turn.check);
          if (lines.bytes < PIECE.bytes && performance.now() < endsAt) continue;
          yield lines.take();
          endsAt = performance.now() + PIECE.milliseconds;
        }
      }
      yield lines.take();
    } catch (error) {
      throw error instanceof HitsRemoved ? await this.reasonOf(error, request) : error;
    }
  }

  /** The reason why hits are missing: the website was deleted, the day was removed or moved, or hits were lost. */
  private reasonOf(error: HitsRemoved, { seenIf, websiteId, day }: HitsRequest): Promise<Error> {
    return this.database.read(async (reader) => {
      if (!(await isSeen(reader, websiteId, seenIf))) return new NotFound('Website');
      return (await isUnmoved(reader, websiteId, day)) ? error.asDamage() : new StatisticsChanged();
    });
  }
}
