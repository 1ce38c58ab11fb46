import { Injectable } from '@nestjs/common';
import { isDeepStrictEqual } from 'node:util';
import type { EntityManager, SelectQueryBuilder } from 'typeorm';
import { InvalidFields } from '../../engine/ground/errors';
import { dayText } from '../../engine/ground/time/days';
import { HitStore } from '../../engine/port';
import { FILTER_LIMITS } from '../../engine/questions/question-limits';
import { leavesIn, type ResolvedFilter } from '../../engine/questions/parse/filter';
import { EntityDatabase } from '../database/entity-database';
import { readDefinitions, resolve } from '../goals/definitions';
import { expectWebsite, ResourcesRepository } from '../websites/resources/resources.repository';
import { Website } from '../websites/website.entity';
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
      await this.removePurged(manager, websiteId);
      const result = await work(manager);
      const exclusions = await this.ofWebsite(manager, websiteId);
      await this.store.leaveOut(
        manager,
        websiteId,
        exclusions.map(({ id, name, filters, fromDay: from, toDay, purge }) => ({
          ...{ id, name, from },
          filters: filters as ResolvedFilter[],
          ...(toDay !== null && { to: toDay }),
          ...(purge === 1 && { purge: true }),
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
    expectPurgeable(wanted, before);
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
      purge: 0,
      toDay: Math.min(toDay ?? Infinity, keptFrom - 1),
      updatedAt: new Date(Math.max(Date.now(), updatedAt.getTime() + 1)),
    });
  }

  isDomain(ownerId: number, websiteId: number, domain: string | undefined): Promise<boolean> {
    return this.database.readQuick(async (manager) => {
      await expectWebsite(manager, ownerId, websiteId);
      return manager.existsBy(Website, { id: websiteId, domain: domain ?? '' });
    });
  }

  /** Without those whose days are all purged. */
  protected override of(manager: EntityManager, websiteId: number): SelectQueryBuilder<Exclusion> {
    return super.of(manager, websiteId).andWhere(`(own.purge = 0 OR own.id IN (${this.store.terms.purges}))`);
  }

  private async removePurged(manager: EntityManager, websiteId: number): Promise<void> {
    await manager.query(
      `DELETE FROM exclusions WHERE website_id = ? AND is_purged = 1 AND id NOT IN (${this.store.terms.purges})`,
      [websiteId],
    );
  }

  private ofWebsite(manager: EntityManager, websiteId: number): Promise<Exclusion[]> {
    return manager.find(Exclusion, { where: { websiteId }, order: { id: 'ASC' } });
  }
}

/** From then on, only what tells of it may change. Deleting it ends the purge. */
function expectPurgeable(wanted: Exclusion, before: Exclusion | undefined): void {
  if (before?.purge === 1) {
    const fields = { filters: 'filters', fromDay: 'from', toDay: 'to', purge: 'purge' } as const;
    for (const [field, sent] of Object.entries(fields) as [keyof typeof fields, string][])
      if (!isDeepStrictEqual(wanted[field], before[field]))
        throw new InvalidFields({
          [sent]: ['does not change while hits are purged; delete the exclusion to stop'],
        });
    return;
  }
  if (wanted.purge === 0) return;
  if (wanted.final === 1)
    throw new InvalidFields({ purge: ['needs hits, and those of a final exclusion are gone'] });
  if (wanted.toDay === null)
    throw new InvalidFields({ purge: ['needs a last day: give the exclusion one as "to"'] });
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
