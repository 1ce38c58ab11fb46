import { Injectable } from '@nestjs/common';
import type { SelectQueryBuilder } from 'typeorm';
import type { Rows } from '../../engine/ground/rows';
import { DayClock } from '../../engine/ground/time/day-clock';
import { Settings } from '../config/settings';
import { EntityDatabase } from '../database/entity-database';
import { expectWebsite, ResourcesRepository } from '../websites/resources/resources.repository';
import { findMadeBy, type StoreRequest } from '../websites/store-requests';
import { Annotation } from './annotation.entity';
import { ANNOTATIONS } from './annotations.resource';
import type { ListAnnotations } from './list-annotations.dto';

/** Days, both included. */
interface Days {
  from?: number | undefined;
  to?: number | undefined;
}

@Injectable()
export class AnnotationsRepository extends ResourcesRepository<Annotation> {
  readonly clock: DayClock;

  constructor(database: EntityDatabase, { timezone }: Settings) {
    super(database, ANNOTATIONS);
    this.clock = new DayClock(timezone);
  }

  /** The annotation that a request created before, if it did. Throws if the owner has no such website. */
  findMadeBefore(
    userId: number,
    websiteId: number,
    request: StoreRequest | undefined,
  ): Promise<Annotation | undefined> {
    return this.database.readQuick(async (manager) => {
      await expectWebsite(manager, userId, websiteId);
      const find = (id: number) => manager.findOneBy(Annotation, { websiteId, id });
      return request && findMadeBy(manager, request, 'annotation', find);
    });
  }

  /** Unscoped: what viewers of a shared page see, the latest first. */
  pageOfPublicUnscoped(
    websiteId: number,
    days: Days,
    { skip, take }: { skip: number; take: number },
  ): Promise<Rows<Annotation>> {
    return this.database.readQuick(async (manager) => {
      const select = manager
        .createQueryBuilder(Annotation, 'own')
        .where('own.websiteId = :websiteId AND own.public = 1', { websiteId });
      const [rows, total] = await this.within(select, days)
        .orderBy('own.moment', 'DESC')
        .addOrderBy('own.id', 'ASC')
        .offset(skip)
        .limit(take)
        .getManyAndCount();
      return { rows, total };
    });
  }

  protected override listed(
    select: SelectQueryBuilder<Annotation>,
    query: ListAnnotations,
  ): SelectQueryBuilder<Annotation> {
    return this.within(select, query);
  }

  /** An annotation of a day keeps its day if the time zone of the service changes. */
  private within(select: SelectQueryBuilder<Annotation>, { from, to }: Days): SelectQueryBuilder<Annotation> {
    if (from !== undefined)
      select.andWhere('(own.day >= :from OR (own.day IS NULL AND own.moment >= :begin))', {
        from,
        begin: this.clock.endOf(from - 1),
      });
    if (to !== undefined)
      select.andWhere('(own.day <= :to OR (own.day IS NULL AND own.moment < :end))', {
        to,
        end: this.clock.endOf(to),
      });
    return select;
  }
}
