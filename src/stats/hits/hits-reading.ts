import { dayText } from '../../common/days';
import { NotFound } from '../../common/problem';
import type { Reader } from '../../database/database';
import { FILE_FORMATS } from '../../http/formats';
import type { Reading } from '../../storage/hits-in-columns';
import { HitsRemoved } from '../../storage/hits/batches';
import { type HitsOfDay, hitsFrom, isAsItWas, keptDays } from '../../storage/kept-hits';
import { VisitorNumbers } from '../../storage/visitor-numbers';
import { Website } from '../../websites/website.entity';
import { StatisticsChanged } from '../plain/whole-breakdown';
import type { ListInPieces } from '../threads/open-lists';
import { hitLines } from './hit-lines';
import type { HitDaysRequest, HitsRequest } from './hits-request';

/** Reads the hits themselves, as they are kept, and writes them as lines. */
export class HitsReading {
  constructor(private readonly reader: Reader) {}

  days({ websiteId, range }: HitDaysRequest, patienceMs: number): Promise<HitsOfDay[]> {
    return this.reader.read((manager) => keptDays(manager, websiteId, range), patienceMs);
  }

  /** What it keeps in memory depends on the day, which who asks knows. */
  lines(request: HitsRequest, patienceMs: number): ListInPieces {
    return { bytes: 0, pieces: this.piecesOf(request, patienceMs) };
  }

  private async *piecesOf(request: HitsRequest, patienceMs: number): AsyncGenerator<Buffer> {
    const { websiteId, day, selected, type } = request;
    const format = FILE_FORMATS.find((one) => one.type === type)!;
    const [lines, visitors, text] = [hitLines(format), new VisitorNumbers(), dayText(day.day)];
    // Reads of their own, so that a slow client keeps no snapshot open.
    const read: Reading = (work) => this.reader.read(work, patienceMs);
    try {
      for await (const { hits, end } of hitsFrom(read, websiteId, day)) {
        const first = end - hits.length;
        // A visitor has the same number, whatever is exported of the day.
        const all = hits.map((hit) => ({ hit, day: text, visitor: visitors.of(hit.visitor) }));
        yield lines(selected ? all.filter((_, index) => selected[first + index] === 1) : all);
      }
    } catch (error) {
      throw error instanceof HitsRemoved ? await this.reasonOf(error, request) : error;
    }
  }

  /** Why hits are not there: their website was deleted, their day was removed or moved, or they were lost. */
  private reasonOf(error: HitsRemoved, { ownerId, websiteId, day }: HitsRequest): Promise<Error> {
    return this.reader.read(async (manager) => {
      if (!(await manager.existsBy(Website, { userId: ownerId, id: websiteId })))
        return new NotFound('Website');
      return (await isAsItWas(manager, websiteId, day)) ? error.asDamage() : new StatisticsChanged();
    });
  }
}
