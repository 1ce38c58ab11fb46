import { Injectable } from '@nestjs/common';
import { dayText } from '../../common/days';
import type { Caller } from '../../common/gate';
import { InvalidFields } from '../../common/problem';
import { ReadGate } from '../../database/read-gate';
import type { Span } from '../../storage/calendar';
import type { Reading } from '../../storage/hits-in-columns';
import {
  bytesOfPart,
  type HitsOfDay,
  hitsFrom,
  isAsItWas,
  keptDays,
  lateHits,
} from '../../storage/kept-hits';
import { HitsRemoved, MAX_BYTES_READ_AT_ONCE } from '../../storage/hits/batches';
import { bytesOfVisitors, VisitorNumbers } from '../../storage/visitor-numbers';
import { WebsitesService } from '../../websites/websites.service';
import { type Filter, filterOf } from '../questions/filter';
import { QuestionsRepository } from '../questions/questions.repository';
import { parseSegment } from '../questions/segment';
import { StatisticsChanged } from '../whole-breakdown';
import type { ExportedHit } from './hit-lines';

/** The hits themselves, as they are kept. */
@Injectable()
export class HitsService {
  constructor(
    private readonly websites: WebsitesService,
    private readonly gate: ReadGate,
    private readonly questions: QuestionsRepository,
  ) {}

  /** What there is to read; hits that are counted later are not in it. */
  async days(ownerId: number, websiteId: number, range: Span, caller: Caller): Promise<HitsOfDay[]> {
    if (range.from > range.to) throw new InvalidFields({ to: ['must not be before "from"'] });
    await this.websites.show(ownerId, websiteId);
    return this.gate.read(caller, (manager) => keptDays(manager, websiteId, range));
  }

  /** The hits of some days, in pieces. */
  async *pieces(
    ownerId: number,
    websiteId: number,
    days: HitsOfDay[],
    filter: string | undefined,
    caller: Caller,
  ): AsyncGenerator<ExportedHit[]> {
    const selects = filter === undefined ? undefined : filterOf(parseSegment(filter));
    const most = days.reduce((hits, day) => Math.max(hits, day.hits), 0);
    const part = days.reduce((bytes, day) => Math.max(bytes, bytesOfPart(day)), 0);
    const late = days.reduce((hits, day) => Math.max(hits, lateHits(day)), 0);
    const visitors = bytesOfVisitors(most) + bytesOfVisitors(late);
    const memory = this.gate.reserve(caller, MAX_BYTES_READ_AT_ONCE + part + visitors + most);
    try {
      for (const day of days) {
        const selected = selects && (await this.selected(websiteId, day, selects, caller));
        if (!selected || selected.includes(1)) yield* this.hitsOf(websiteId, day, selected, caller);
      }
    } catch (error) {
      throw error instanceof HitsRemoved ? await this.reasonOf(error, ownerId, days, caller) : error;
    } finally {
      memory.release();
    }
  }

  /** One for each hit of a day that is exported, else zero. */
  private async selected(
    websiteId: number,
    { day, columns }: HitsOfDay,
    filter: Filter,
    caller: Caller,
  ): Promise<Uint8Array> {
    const { selected, inColumns } = await this.questions.select({ websiteId, day, filter }, caller);
    // In columns hits have another order than before.
    if (inColumns !== (columns?.hits ?? 0)) throw new StatisticsChanged();
    return selected;
  }

  private async *hitsOf(
    websiteId: number,
    day: HitsOfDay,
    selected: Uint8Array | undefined,
    caller: Caller,
  ): AsyncGenerator<ExportedHit[]> {
    const visitors = new VisitorNumbers();
    const text = dayText(day.day);
    // Reads of their own, so that a slow client keeps no snapshot open.
    const read: Reading = (work) => this.gate.readPart(caller, work);
    for await (const { hits, end } of hitsFrom(read, websiteId, day)) {
      const first = end - hits.length;
      // A visitor has the same number, whatever is exported of the day.
      const all = hits.map((hit) => ({ hit, day: text, visitor: visitors.of(hit.visitor) }));
      yield selected ? all.filter((_, index) => selected[first + index] === 1) : all;
    }
  }

  /** Why hits are not there: their website was deleted, their day was removed or moved, or they were lost. */
  private async reasonOf(
    error: HitsRemoved,
    ownerId: number,
    days: HitsOfDay[],
    caller: Caller,
  ): Promise<Error> {
    await this.websites.show(ownerId, error.websiteId);
    const day = days.find((one) => one.day === error.day)!;
    const isDamaged = await this.gate.readPart(caller, (manager) => isAsItWas(manager, error.websiteId, day));
    return isDamaged ? error.asDamage() : new StatisticsChanged();
  }
}
