import { Injectable } from '@nestjs/common';
import { dayText } from '../../common/days';
import type { Caller } from '../../common/gate';
import { InvalidFields } from '../../common/problem';
import { ReadGate } from '../../database/read-gate';
import {
  ARCHIVE_BEGIN,
  type ArchivedDay,
  archivedDays,
  archivedPiece,
  MAX_BYTES_OF_PIECE,
  unpackHits,
} from '../../storage/archive';
import type { Span } from '../../storage/calendar';
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
  async days(ownerId: number, websiteId: number, range: Span, caller: Caller): Promise<ArchivedDay[]> {
    if (range.from > range.to) throw new InvalidFields({ to: ['must not be before "from"'] });
    await this.websites.show(ownerId, websiteId);
    return this.gate.read(caller, (manager) => archivedDays(manager, websiteId, range));
  }

  /** The hits of some days in the order of acceptance, in pieces. */
  async *pieces(websiteId: number, days: ArchivedDay[], caller: Caller): AsyncGenerator<HitView[]> {
    const most = days.reduce((hits, day) => Math.max(hits, day.hits), 0);
    const memory = this.gate.reserve(caller, MAX_BYTES_OF_PIECE + bytesOfVisitors(most));
    try {
      for (const day of days) yield* this.hitsOf(websiteId, day, caller);
    } finally {
      memory.release();
    }
  }

  /** Each piece is a read of its own, so that a slow client keeps no snapshot open. */
  private async *hitsOf(
    websiteId: number,
    { day, hits: expected, lastFold }: ArchivedDay,
    caller: Caller,
  ): AsyncGenerator<HitView[]> {
    const visitors = new VisitorNumbers();
    const text = dayText(day);
    let found = 0;
    for (let position = ARCHIVE_BEGIN, isLast = false; !isLast;) {
      const from = position;
      const piece = await this.gate.readPart(caller, (manager) =>
        archivedPiece(manager, websiteId, day, from, lastFold),
      );
      for (const packed of piece.packed) {
        const hits = await unpackHits(packed);
        found += hits.length;
        yield hits.map((hit) => hitView(hit, text, visitors.of(hit.visitor)));
      }
      ({ position, isLast } = piece);
    }
    if (found !== expected) throw new StatisticsChanged();
  }
}
