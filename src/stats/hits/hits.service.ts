import { Injectable } from '@nestjs/common';
import { dayText } from '../../common/days';
import type { Caller } from '../../common/gate';
import { InvalidFields } from '../../common/problem';
import { ReadGate } from '../../database/read-gate';
import type { Span } from '../../storage/calendar';
import type { Reading } from '../../storage/hits-in-columns';
import { bytesOfPart, type HitsOfDay, hitsFrom, keptDays } from '../../storage/kept-hits';
import { HitsRemoved, MAX_BYTES_READ_AT_ONCE } from '../../storage/pieces';
import { bytesOfVisitors, VisitorNumbers } from '../../storage/visitor-numbers';
import { WebsitesService } from '../../websites/websites.service';
import { StatisticsChanged } from '../whole-breakdown';
import { type HitView, hitView } from './hit.view';

/** The hits themselves, as they are kept. */
@Injectable()
export class HitsService {
  constructor(
    private readonly websites: WebsitesService,
    private readonly gate: ReadGate,
  ) {}

  /** What there is to read; hits that are counted later are not in it. */
  async days(ownerId: number, websiteId: number, range: Span, caller: Caller): Promise<HitsOfDay[]> {
    if (range.from > range.to) throw new InvalidFields({ to: ['must not be before "from"'] });
    await this.websites.show(ownerId, websiteId);
    return this.gate.read(caller, (manager) => keptDays(manager, websiteId, range));
  }

  /** The hits of some days, in pieces. */
  async *pieces(websiteId: number, days: HitsOfDay[], caller: Caller): AsyncGenerator<HitView[]> {
    const most = days.reduce((hits, day) => Math.max(hits, day.hits), 0);
    const part = days.reduce((bytes, day) => Math.max(bytes, bytesOfPart(day)), 0);
    const memory = this.gate.reserve(caller, MAX_BYTES_READ_AT_ONCE + part + bytesOfVisitors(most));
    try {
      for (const day of days) yield* this.hitsOf(websiteId, day, caller);
    } finally {
      memory.release();
    }
  }

  private async *hitsOf(websiteId: number, day: HitsOfDay, caller: Caller): AsyncGenerator<HitView[]> {
    const visitors = new VisitorNumbers();
    const text = dayText(day.day);
    // Reads of their own, so that a slow client keeps no snapshot open.
    const read: Reading = (work) => this.gate.readPart(caller, work);
    try {
      for await (const { hits } of hitsFrom(read, websiteId, day))
        yield hits.map((hit) => hitView(hit, text, visitors.of(hit.visitor)));
    } catch (error) {
      throw error instanceof HitsRemoved ? new StatisticsChanged() : error;
    }
  }
}
