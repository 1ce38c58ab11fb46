import { Injectable } from '@nestjs/common';
import { version as release } from '../../../package.json';
import type { Caller } from '../../../engine/ground/gate';
import type { Rows } from '../../../engine/ground/rows';
import { ReadMemory } from '../../../engine/ground/memory/read-memory';
import type { Firing } from './firing';
import { FiringsRepository } from './firings.repository';
import type { FiringView } from './firing.view';
import type { ListFirings } from './list-firings.dto';

/** All firings of an alert in 90 days, as rows and as a text. */
const BYTES_OF_ALL = 2 * 1024 * 1024;

@Injectable()
export class FiringsService {
  constructor(
    private readonly firings: FiringsRepository,
    private readonly memory: ReadMemory,
  ) {}

  async page(
    ownerId: number,
    websiteId: number,
    alertId: number,
    query: ListFirings,
  ): Promise<Rows<FiringView>> {
    const { rows, total } = await this.firings.page(ownerId, websiteId, alertId, query);
    return { rows: rows.map(viewOf), total };
  }

  async version(ownerId: number, websiteId: number, alertId: number): Promise<unknown[]> {
    return [release, 'firing', alertId, await this.firings.version(ownerId, websiteId, alertId)];
  }

  /** The whole list, as one piece. */
  async *pieces(
    ownerId: number,
    websiteId: number,
    alertId: number,
    caller: Caller,
  ): AsyncGenerator<FiringView[]> {
    const memory = this.memory.reserve(caller, BYTES_OF_ALL);
    try {
      const all = await this.firings.all(ownerId, websiteId, alertId);
      yield* memory.offer([all.map(viewOf)]);
    } finally {
      memory.release();
    }
  }
}

function viewOf({ id, firedAt, from, to, value, usual, alert, mails, webhooks }: Firing): FiringView {
  const [at, begin, end] = [firedAt, from, to].map((moment) => new Date(moment).toISOString()) as [
    string,
    string,
    string,
  ];
  return { id, at, from: begin, to: end, value, usual, threshold: alert.threshold, mails, webhooks };
}
