import { Injectable } from '@nestjs/common';
import { AnnotationsService } from '../annotations/annotations.service';
import { FunnelsService } from '../goals/funnels/funnels.service';
import { GoalsService } from '../goals/goals/goals.service';
import { StoreWebsite } from '../websites/dto/store-website.dto';
import { WebsitesService } from '../websites/websites.service';
import { DEMO_FUNNEL, DEMO_GOALS, demoAnnotations } from './demo-definitions';

export const DEMO_DOMAIN = 'demo.example';
/** A few days more than the default range of statistics and the range before it. */
export const DEMO_DAYS = 60;

/** Registers a website with goals, a funnel and annotations. */
@Injectable()
export class DemoWebsite {
  constructor(
    private readonly websites: WebsitesService,
    private readonly goals: GoalsService,
    private readonly funnels: FunnelsService,
    private readonly annotations: AnnotationsService,
  ) {}

  async register(ownerId: number, domain: string, days: number[]): Promise<number> {
    const website = Object.assign(new StoreWebsite(), { domain });
    const { id } = await this.websites.store(ownerId, website, { owner: ownerId });
    for (const goal of DEMO_GOALS) await this.goals.store(ownerId, id, goal);
    await this.funnels.store(ownerId, id, DEMO_FUNNEL);
    for (const annotation of demoAnnotations(days)) await this.annotations.store(ownerId, id, annotation);
    return id;
  }
}
