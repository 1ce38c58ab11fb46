import { Injectable } from '@nestjs/common';
import { dayText } from '../../common/days';
import type { Caller } from '../../common/gate';
import { InvalidFields } from '../../common/problem';
import { ReadGate } from '../../database/read-gate';
import type { Span } from '../../storage/calendar';
import {
  endOf,
  type HitPiece,
  type HitsOfDay,
  HitsRemoved,
  keptDays,
  MAX_BYTES_READ_AT_ONCE,
  nextPieces,
  unpackHits,
} from '../../storage/pieces';
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

  /** The hits of some days in the order of acceptance, in pieces. */
  async *pieces(websiteId: number, days: HitsOfDay[], caller: Caller): AsyncGenerator<HitView[]> {
    const most = days.reduce((hits, day) => Math.max(hits, day.hits), 0);
    const memory = this.gate.reserve(caller, MAX_BYTES_READ_AT_ONCE + bytesOfVisitors(most));
    try {
      for (const day of days) yield* this.hitsOf(websiteId, day, caller);
    } finally {
      memory.release();
    }
  }

  private async *hitsOf(
    websiteId: number,
    { day, hits }: HitsOfDay,
    caller: Caller,
  ): AsyncGenerator<HitView[]> {
    const visitors = new VisitorNumbers();
    const text = dayText(day);
    for (let place = 0; place < hits;)
      for (const piece of await this.nextPieces(websiteId, day, place, caller)) {
        const some = await unpackHits(piece, place, hits);
        yield some.map((hit) => hitView(hit, text, visitors.of(hit.visitor)));
        place = endOf(piece);
      }
  }

  /** A read of its own, so that a slow client keeps no snapshot open. */
  private async nextPieces(
    websiteId: number,
    day: number,
    place: number,
    caller: Caller,
  ): Promise<HitPiece[]> {
    try {
      return await this.gate.readPart(caller, (manager) => nextPieces(manager, websiteId, day, place));
    } catch (error) {
      throw error instanceof HitsRemoved ? new StatisticsChanged() : error;
    }
  }
}
