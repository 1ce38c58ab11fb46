import { Injectable } from '@nestjs/common';
import { quotedBegin } from '../../../common/text';
import { InvalidFields } from '../../../common/problem';
import type { Funnel } from '../../../goals/funnels/funnel.entity';
import { keptSteps } from '../../../goals/funnels/funnel-steps';
import { FunnelsRepository } from '../../../goals/funnels/funnels.repository';
import type { FunnelQueryView } from '../../dto/funnel.view';
import { StatsRepository } from '../../stats.repository';
import type { Viewer } from '../../viewers/viewer';

export type FunnelDefinition = Pick<Funnel, 'steps' | 'order' | 'within'>;

/** The funnels that questions name. */
@Injectable()
export class StoredFunnels {
  constructor(
    private readonly stats: StatsRepository,
    private readonly funnels: FunnelsRepository,
  ) {}

  /** The funnel of a question, stored or sent. */
  async of(viewer: Viewer, websiteId: number, asked: FunnelQueryView): Promise<FunnelDefinition> {
    const { funnel: name, steps = [], order = 'open', within = 'visit' } = asked;
    if (name === undefined) return { steps: keptSteps(steps), order, within };
    await this.stats.expectSeen(viewer, websiteId);
    const funnel = await this.funnels.findNamedUnscoped(websiteId, name);
    if (!funnel) throw new InvalidFields({ funnel: [`has no funnel ${quotedBegin(name)}`] });
    return funnel;
  }
}
