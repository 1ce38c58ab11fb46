import { Injectable } from '@nestjs/common';
import { InvalidFields } from '../../engine/ground/errors';
import { ReadMemory } from '../../engine/ground/memory/read-memory';
import type { FilterJson } from '../../engine/questions/parse/filter';
import type { ApiKey } from '../auth/api-key.entity';
import { type IsExpected, ResourcesService } from '../websites/resources/resources.service';
import { StoreRequests } from '../websites/store-requests';
import { ExclusionView, type StoreExclusion, type UpdateExclusion } from './exclusion.dto';
import type { Exclusion } from './exclusion.entity';
import { ExclusionsRepository } from './exclusions.repository';
import { EXCLUSIONS } from './exclusions.resource';

@Injectable()
export class ExclusionsService extends ResourcesService<
  Exclusion,
  ExclusionView,
  StoreExclusion,
  UpdateExclusion
> {
  constructor(
    private readonly exclusions: ExclusionsRepository,
    requests: StoreRequests,
    memory: ReadMemory,
  ) {
    super(EXCLUSIONS, exclusions, requests, memory);
  }

  override async storeAs(
    { userId, name: madeBy }: ApiKey,
    websiteId: number,
    sent: StoreExclusion,
    idempotencyKey?: string,
  ): Promise<ExclusionView> {
    expectConfirmed(sent.filters, sent.all);
    const { name, filters, reason = null, from, to } = sent;
    const days = { fromDay: from ?? 0, toDay: to ?? null };
    const resource = { name, filters, reason, madeBy, final: 0 as const, purge: 0 as const, ...days };
    const request = this.requestOf(userId, websiteId, sent, idempotencyKey);
    return ExclusionView.of(await this.exclusions.insert(userId, websiteId, resource, request));
  }

  /** The domain confirms that the hits may be removed for good. */
  override async update(
    ownerId: number,
    websiteId: number,
    id: number,
    sent: UpdateExclusion,
    isExpected?: IsExpected<ExclusionView>,
  ): Promise<ExclusionView> {
    const { domain, ...fields } = sent;
    if (sent.purge && !(await this.exclusions.isDomain(ownerId, websiteId, domain)))
      throw new InvalidFields({ domain: ['must be the domain of the website, to confirm the purge'] });
    return super.update(ownerId, websiteId, id, fields, isExpected);
  }

  protected override changedBy(before: Exclusion, sent: UpdateExclusion): Exclusion {
    const { from, to, all, purge, ...others } = sent;
    expectConfirmed(others.filters ?? before.filters, all ?? others.filters === undefined);
    return {
      ...super.changedBy(before, others),
      ...(purge !== undefined && { purge: purge ? 1 : 0 }),
      ...(from !== undefined && { fromDay: from ?? 0 }),
      ...(to !== undefined && { toDay: to }),
    };
  }
}

/** What selects all hits may be a mistake. */
function expectConfirmed(filters: readonly FilterJson[], isConfirmed = false): void {
  if (isConfirmed || everyHit(['and', [...filters]]) !== true) return;
  throw new InvalidFields({ filters: ['select all hits; send "all": true if that is meant'] });
}

/** Tells whether filters select all hits, or none. Undefined if that depends on the hits. */
function everyHit(filter: FilterJson): boolean | undefined {
  switch (filter[0]) {
    case 'and':
    case 'or': {
      const own = filter[1].map(everyHit);
      const decides = filter[0] === 'or';
      if (own.includes(decides)) return decides;
      return own.includes(undefined) ? undefined : !decides;
    }
    case 'not':
    case 'has_not_done': {
      const own = everyHit(filter[1]);
      return own === undefined ? undefined : !own;
    }
    case 'has_done':
      return everyHit(filter[1]);
    default:
      return undefined;
  }
}
