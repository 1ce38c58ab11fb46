import { Injectable } from '@nestjs/common';
import { OmitType } from '@nestjs/swagger';
import { AnnotationsRepository } from '../../annotations/annotations.repository';
import { SharedAnnotationView } from '../../annotations/annotation.dto';
import { offsetOf } from '../../../engine/ground/rows';
import { Page } from '../../http/answers/pagination';
import { RetentionClock } from '../../../engine/database/retention-clock';
import { IsFirstDay, IsLastDay } from '../../stats/dto/range';
import { checkRange, EVER } from '../../../engine/questions/range-query';
import { isLimited, type Viewer } from '../../stats/viewers/viewer';
import type { Span } from '../../../engine/hits/calendar';
import { ListResources } from '../../websites/resources/list-resources.dto';

export class ListSharedAnnotations extends OmitType(ListResources, ['search']) {
  @IsFirstDay()
  from!: number;

  @IsLastDay()
  to!: number;
}

/** The public annotations of the days that a viewer sees. */
@Injectable()
export class SharedAnnotations {
  constructor(
    private readonly annotations: AnnotationsRepository,
    private readonly clock: RetentionClock,
  ) {}

  async page(
    viewer: Viewer,
    websiteId: number,
    query: ListSharedAnnotations,
  ): Promise<Page<SharedAnnotationView>> {
    checkRange(query);
    const seen = await this.daysFor(viewer);
    const days = { from: Math.max(query.from, seen.from), to: Math.min(query.to, seen.to) };
    const skip = offsetOf(query);
    const page = { skip, take: query.per_page };
    const { rows, total } = await this.annotations.pageOfPublicUnscoped(websiteId, days, page);
    return new Page({ rows: rows.map(SharedAnnotationView.of), total }, query);
  }

  async areThere(viewer: Viewer, websiteId: number): Promise<boolean> {
    const areIn = async (days: Span) =>
      (await this.annotations.pageOfPublicUnscoped(websiteId, days, { skip: 0, take: 1 })).total > 0;
    // Most websites have none, which one look finds.
    return (await areIn(EVER)) && areIn(await this.daysFor(viewer));
  }

  private async daysFor(viewer: Viewer): Promise<Span> {
    if (viewer.as === 'owner') return EVER;
    const { today, statsFrom } = await this.clock.calendar();
    return { from: statsFrom, to: isLimited(viewer) ? today - 1 : today };
  }
}
