import { Injectable } from '@nestjs/common';
import type { EntityManager, SelectQueryBuilder } from 'typeorm';
import { InvalidFields } from '../../engine/ground/errors';
import { dayText } from '../../engine/ground/time/days';
import { HitStore } from '../../engine/port';
import { FILTER_LIMITS } from '../../engine/questions/question-limits';
import { leavesIn, type ResolvedFilter } from '../../engine/questions/parse/filter';
import { EntityDatabase } from '../database/entity-database';
import { readDefinitions, resolve } from '../goals/definitions';
import { ResourcesRepository } from '../websites/resources/resources.repository';
import { Exclusion } from './exclusion.entity';
import { EXCLUSIONS } from './exclusions.resource';

/** Of all exclusions of a website. */
const MAX_BYTES = 16 * 1024;

@Injectable()
export class ExclusionsRepository extends ResourcesRepository<Exclusion> {
  constructor(
    database: EntityDatabase,
    private readonly store: HitStore,
  ) {
    super(database, EXCLUSIONS);
  }

  /** The store leaves out what the exclusions select after each change of them. */
  protected override changing<T>(
    ownerId: number,
    websiteId: number,
    work: (manager: EntityManager) => Promise<T>,
  ): Promise<T> {
    return super.changing(ownerId, websiteId, async (manager) => {
      const result = await work(manager);
      const exclusions = await this.ofWebsite(manager, websiteId);
      await this.store.leaveOut(
        manager,
        websiteId,
        exclusions.map(({ id, name, filters, fromDay: from, toDay }) => ({
          ...{ id, name, from },
          filters: filters as ResolvedFilter[],
          ...(toDay !== null && { to: toDay }),
        })),
      );
      return result;
    });
  }

  protected override async beforeStore(
    manager: EntityManager,
    wanted: Exclusion,
    before: Exclusion | undefined,
  ): Promise<void> {
    await super.beforeStore(manager, wanted, before);
    const { websiteId } = wanted;
    const definitions = await readDefinitions(manager, websiteId);
    wanted.filters = resolve(wanted.filters, definitions, 'filters');
    const keptFrom = await this.store.excludableFrom(manager, websiteId);
    // Without a first day, it begins with the first one whose hits are kept.
    if (!before) wanted.fromDay = Math.max(wanted.fromDay, wanted.fromDay === 0 ? keptFrom : 0);
    expectDays(wanted);
    expectKept(wanted, before, keptFrom);
    const others = (await this.ofWebsite(manager, websiteId)).filter(
      ({ id, final }) => id !== before?.id && final === 0,
    );
    if (wanted.final === 0) expectSmall([wanted, ...others]);
  }

  protected override limited(select: SelectQueryBuilder<Exclusion>): SelectQueryBuilder<Exclusion> {
    return select.andWhere('own.final = 0');
  }

  /** What was counted of days without hits cannot be counted anew: for these days, the exclusion stays. */
  protected override async remove(manager: EntityManager, exclusion: Exclusion): Promise<void> {
    const { id, websiteId, fromDay, toDay, updatedAt } = exclusion;
    const keptFrom = await this.store.excludableFrom(manager, websiteId);
    if (fromDay >= keptFrom) return super.remove(manager, exclusion);
    await manager.update(Exclusion, id, {
      final: 1,
      toDay: Math.min(toDay ?? Infinity, keptFrom - 1),
      updatedAt: new Date(Math.max(Date.now(), updatedAt.getTime() + 1)),
    });
  }

  private ofWebsite(manager: EntityManager, websiteId: number): Promise<Exclusion[]> {
    return manager.find(Exclusion, { where: { websiteId }, order: { id: 'ASC' } });
  }
}

function expectDays({ fromDay, toDay }: Exclusion): void {
  if (fromDay > (toDay ?? fromDay)) throw new InvalidFields({ to: ['must not be before "from"'] });
}

/** Only the days whose hits are kept can be counted anew. */
function expectKept(wanted: Exclusion, before: Exclusion | undefined, keptFrom: number): void {
  const field = before && isBegun(before, keptFrom) ? changedField(wanted, before, keptFrom) : undefined;
  const isEarly = wanted.fromDay !== before?.fromDay && wanted.fromDay < keptFrom;
  const refused = field ?? (isEarly ? 'from' : undefined);
  const problem = `must not change days before ${dayText(keptFrom)}, whose hits are no longer kept`;
  if (refused) throw new InvalidFields({ [refused]: [problem] });
}

function isBegun({ final, fromDay }: Exclusion, keptFrom: number): boolean {
  return final === 1 || fromDay < keptFrom;
}

/** The field of an exclusion over removed days that must not change. */
function changedField(wanted: Exclusion, before: Exclusion, keptFrom: number) {
  if (JSON.stringify(wanted.filters) !== JSON.stringify(before.filters)) return 'filters';
  if (wanted.fromDay !== before.fromDay) return 'from';
  if (wanted.toDay === before.toDay) return undefined;
  const ends = [wanted.toDay, before.toDay].map((day) => day ?? Infinity);
  return before.final !== 1 && ends.every((day) => day >= keptFrom - 1) ? undefined : 'to';
}

function expectSmall(exclusions: readonly Exclusion[]): void {
  const leaves = exclusions.flatMap(({ filters }) => leavesIn(filters));
  const values = leaves.reduce((sum, [, , own]) => sum + (own?.length ?? 0), 0);
  const bytes = exclusions.reduce((sum, { filters }) => sum + Buffer.byteLength(JSON.stringify(filters)), 0);
  const refuse = (what: string) =>
    new InvalidFields({ filters: [`give all exclusions of the website together more than ${what}`] });
  if (leaves.length > FILTER_LIMITS.conditions) throw refuse(`${FILTER_LIMITS.conditions} conditions`);
  if (values > FILTER_LIMITS.values) throw refuse(`${FILTER_LIMITS.values.toLocaleString('en')} values`);
  if (bytes > MAX_BYTES) throw refuse(`${MAX_BYTES.toLocaleString('en')} bytes as JSON`);
}
