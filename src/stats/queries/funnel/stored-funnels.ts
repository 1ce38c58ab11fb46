import { Injectable } from '@nestjs/common';
import { quotedBegin } from '../../../../engine/ground/text-order';
import { InvalidFields } from '../../../../engine/ground/errors';
import { Definitions, type WebsiteDefinitions } from '../../../goals/definitions';
import type { Funnel } from '../../../goals/funnels/funnel.entity';
import { keptSteps } from '../../../goals/funnels/funnel-steps';
import type { FunnelQueryView } from '../../dto/funnel.view';
import { StatsRepository } from '../../stats.repository';
import type { Viewer } from '../../viewers/viewer';

export interface FunnelDefinition extends Pick<Funnel, 'steps' | 'order' | 'within'> {
  /** What the steps refer to, if that was read with them. */
  definitions?: WebsiteDefinitions | undefined;
}

/** The funnels that questions name. */
@Injectable()
export class StoredFunnels {
  constructor(
    private readonly stats: StatsRepository,
    private readonly definitions: Definitions,
  ) {}

  /** The funnel of a question, stored or sent. */
  async of(viewer: Viewer, websiteId: number, asked: FunnelQueryView): Promise<FunnelDefinition> {
    const { funnel: name, steps = [], order = 'open', within = 'visit' } = asked;
    if (name === undefined) return { steps: keptSteps(steps), order, within };
    await this.stats.expectSeen(viewer, websiteId);
    const stored = await this.definitions.readFunnel(websiteId, name);
    if (!stored) throw new InvalidFields({ funnel: [`has no funnel ${quotedBegin(name)}`] });
    const { funnel, definitions } = stored;
    return { steps: funnel.steps, order: funnel.order, within: funnel.within, definitions };
  }
}
