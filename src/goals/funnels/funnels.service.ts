import { Injectable } from '@nestjs/common';
import { ReadMemory } from '../../../engine/ground/memory/read-memory';
import { ResourcesService } from '../../websites/resources/resources.service';
import { StoreRequests } from '../../websites/store-requests';
import type { FunnelView, StoreFunnel, UpdateFunnel } from './funnel.dto';
import type { Funnel } from './funnel.entity';
import { keptSteps } from './funnel-steps';
import { FunnelsRepository } from './funnels.repository';
import { FUNNELS } from './funnels.resource';

@Injectable()
export class FunnelsService extends ResourcesService<Funnel, FunnelView, StoreFunnel, UpdateFunnel> {
  constructor(funnels: FunnelsRepository, requests: StoreRequests, memory: ReadMemory) {
    super(FUNNELS, funnels, requests, memory);
  }

  protected override newOf(sent: StoreFunnel) {
    return { ...super.newOf(sent), steps: keptSteps(sent.steps) };
  }

  protected override changedBy(before: Funnel, sent: UpdateFunnel): Funnel {
    return { ...super.changedBy(before, sent), steps: sent.steps ? keptSteps(sent.steps) : before.steps };
  }
}
