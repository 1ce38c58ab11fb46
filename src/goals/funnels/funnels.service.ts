import { Injectable } from '@nestjs/common';
import { ReadMemory } from '../../../engine/database/connections/read-memory';
import { ResourcesService } from '../../websites/resources/resources.service';
import { StoreRequests } from '../../websites/store-requests';
import { FunnelView, type StoreFunnel, type UpdateFunnel } from './funnel.dto';
import type { Funnel } from './funnel.entity';
import { keptSteps } from './funnel-steps';
import { FunnelsRepository } from './funnels.repository';

@Injectable()
export class FunnelsService extends ResourcesService<Funnel, FunnelView, 'funnel'> {
  constructor(funnels: FunnelsRepository, requests: StoreRequests, memory: ReadMemory) {
    super(funnels, requests, memory, { what: 'Funnel', object: 'funnel', viewOf: FunnelView.of });
  }

  store(
    ownerId: number,
    websiteId: number,
    { name, steps, order = 'open', within = 'visit' }: StoreFunnel,
    idempotencyKey?: string,
  ): Promise<FunnelView> {
    return this.insert(ownerId, websiteId, { name, steps: keptSteps(steps), order, within }, idempotencyKey);
  }

  update(
    ownerId: number,
    websiteId: number,
    id: number,
    sent: UpdateFunnel,
    isExpected?: (current: FunnelView) => boolean,
  ): Promise<FunnelView> {
    const changed = (funnel: Funnel): Funnel => ({
      ...funnel,
      name: sent.name ?? funnel.name,
      steps: sent.steps ? keptSteps(sent.steps) : funnel.steps,
      order: sent.order ?? funnel.order,
      within: sent.within ?? funnel.within,
    });
    return this.change(ownerId, websiteId, id, changed, isExpected);
  }
}
