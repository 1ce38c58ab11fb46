import { isDeepStrictEqual } from 'node:util';
import type { EntityManager, QueryDeepPartialEntity, SelectQueryBuilder } from 'typeorm';
import { InvalidFields } from '../../../engine/ground/errors';
import { LimitReached, NotFound } from '../../common/problems';
import { offsetOf, type Rows } from '../../../engine/ground/rows';
import { foldCase } from '../../../engine/ground/text-search';
import type { EntityDatabase } from '../../database/entity-database';
import { findMadeBy, remember, type StoreRequest } from '../store-requests';
import { Website } from '../website.entity';
import type { ListResources } from './list-resources.dto';
import type { ResourceKind } from './define-resource';
import type { Resource } from './resource.entity';

export type NewResource<E extends Resource> = Omit<E, keyof Resource>;

/** What storing needs of a kind. */
export type StoredKind<E extends Resource> = Pick<ResourceKind<E>, 'entity' | 'rules' | 'one'>;

const OF_WEBSITE = 'own.websiteId = :websiteId';

/** The resources of one kind. Each method keeps to the websites of an owner. */
export abstract class ResourcesRepository<E extends Resource> {
  constructor(
    protected readonly database: EntityDatabase,
    private readonly kind: StoredKind<E>,
  ) {}

  /** A website has few, so the search, which no database folds alike, looks through all of their texts. */
  page(ownerId: number, websiteId: number, query: ListResources): Promise<Rows<E>> {
    return this.database.readQuick(async (manager) => {
      const listed = await this.findListed(manager, ownerId, websiteId, query);
      const shown = listed.slice(offsetOf(query), offsetOf(query) + query.per_page);
      return { rows: await this.load(manager, websiteId, shown), total: listed.length };
    });
  }

  all(ownerId: number, websiteId: number, query: ListResources): Promise<E[]> {
    return this.database.read(async (manager) =>
      this.load(manager, websiteId, await this.findListed(manager, ownerId, websiteId, query)),
    );
  }

  /** Changes with any of the resources that a list shows. */
  version(ownerId: number, websiteId: number, query: ListResources): Promise<unknown[]> {
    return this.database.readQuick(async (manager) => {
      const listed = await this.findListed(manager, ownerId, websiteId, query);
      return listed.map(({ id, updatedAt }) => [id, updatedAt]);
    });
  }

  find(ownerId: number, websiteId: number, id: number): Promise<E | null> {
    return this.database.readQuick(async (manager) => {
      await expectWebsite(manager, ownerId, websiteId);
      return this.findIn(manager, websiteId, id);
    });
  }

  /** Checks before it inserts, so that both databases use up the same ids. */
  insert(
    ownerId: number,
    websiteId: number,
    resource: NewResource<E>,
    request?: StoreRequest,
    now = new Date(),
  ): Promise<E> {
    return this.changing(ownerId, websiteId, async (manager) => {
      const made = request && (await this.findMade(manager, websiteId, request));
      if (made) return made;
      await this.expectRoom(manager, websiteId);
      const stored = { ...resource, websiteId, createdAt: now, updatedAt: now } as unknown as E;
      await this.beforeStore(manager, stored, undefined);
      const columns = stored as QueryDeepPartialEntity<E>;
      const { identifiers } = await manager.getRepository(this.kind.entity).insert(columns);
      const id = Number(identifiers[0]!.id);
      if (request) await remember(manager, this.database.dialect, request, id);
      return { ...stored, id };
    });
  }

  /** Updates a resource, with a later `updatedAt` if anything changed. Null if there is none. */
  change(ownerId: number, websiteId: number, id: number, changed: (resource: E) => E): Promise<E | null> {
    return this.changing(ownerId, websiteId, async (manager) => {
      const before = await this.findIn(manager, websiteId, id);
      if (!before) return null;
      const wanted = changed(before);
      if (isDeepStrictEqual({ ...wanted }, { ...before })) return before;
      await this.beforeStore(manager, wanted, before);
      const updatedAt = new Date(Math.max(Date.now(), before.updatedAt.getTime() + 1));
      const after = { ...wanted, updatedAt };
      await manager.getRepository(this.kind.entity).update(id, after as QueryDeepPartialEntity<E>);
      return after;
    });
  }

  /** False if there is none. */
  delete(ownerId: number, websiteId: number, id: number, check: (resource: E) => void): Promise<boolean> {
    return this.changing(ownerId, websiteId, async (manager) => {
      const resource = await this.findIn(manager, websiteId, id);
      if (!resource) return false;
      check(resource);
      await this.beforeDelete(manager, resource);
      await this.remove(manager, resource);
      return true;
    });
  }

  /** Runs in the transaction that stores a resource, and refuses what a website must not have beside its others. */
  protected async beforeStore(manager: EntityManager, wanted: E, before: E | undefined): Promise<void> {
    const { one, rules } = this.kind;
    const { text, isUnique } = rules;
    const value = wanted[text as keyof E];
    if (!isUnique || value === before?.[text as keyof E]) return;
    const taken = this.of(manager, wanted.websiteId).andWhere(`own.${text} = :value`, { value });
    if (await taken.getExists())
      throw new InvalidFields({ [text]: [`is already the ${text} of another ${one} of the website`] });
  }

  /** Refuses to delete what others need. */
  protected beforeDelete(_: EntityManager, __: E): Promise<void> {
    return Promise.resolve();
  }

  protected async remove(manager: EntityManager, { id }: E): Promise<void> {
    await manager.getRepository(this.kind.entity).delete(id);
  }

  /** The resources that count toward the limit of a website. */
  protected limited(select: SelectQueryBuilder<E>): SelectQueryBuilder<E> {
    return select;
  }

  /** Limits a list further. */
  protected listed(select: SelectQueryBuilder<E>, _: ListResources): SelectQueryBuilder<E> {
    return select;
  }

  private findMade(manager: EntityManager, websiteId: number, request: StoreRequest): Promise<E | undefined> {
    return findMadeBy(manager, request, this.kind.one, (id) => this.findIn(manager, websiteId, id));
  }

  private async expectRoom(manager: EntityManager, websiteId: number): Promise<void> {
    const { rules, one } = this.kind;
    if ((await this.limited(this.of(manager, websiteId)).getCount()) < rules.most) return;
    throw new LimitReached('website', rules.most, `${one}s`);
  }

  /** Without their other columns. */
  private async findListed(
    manager: EntityManager,
    ownerId: number,
    websiteId: number,
    query: ListResources,
  ): Promise<Resource[]> {
    await expectWebsite(manager, ownerId, websiteId);
    const { text, order } = this.kind.rules;
    const select = this.of(manager, websiteId).select(['own.id', 'own.updatedAt', `own.${text}`]);
    for (const [column, direction] of Object.entries(order)) select.addOrderBy(`own.${column}`, direction);
    const found = await this.listed(select, query).getMany();
    const part = foldCase(query.search ?? '');
    return found.filter((one) => foldCase(String(one[text as keyof E])).includes(part));
  }

  /** The whole resources, in the same order. */
  private async load(manager: EntityManager, websiteId: number, listed: Resource[]): Promise<E[]> {
    if (listed.length === 0) return [];
    const ids = listed.map(({ id }) => id);
    const rows = await this.of(manager, websiteId).andWhere('own.id IN (:...ids)', { ids }).getMany();
    const byId = new Map(rows.map((row) => [row.id, row]));
    return ids.flatMap((id) => byId.get(id) ?? []);
  }

  private findIn(manager: EntityManager, websiteId: number, id: number): Promise<E | null> {
    return this.of(manager, websiteId).andWhere('own.id = :id', { id }).getOne();
  }

  protected of(manager: EntityManager, websiteId: number): SelectQueryBuilder<E> {
    return manager.createQueryBuilder(this.kind.entity, 'own').where(OF_WEBSITE, { websiteId });
  }

  /** Serialises the changes of a website's resources, so that rules over several of them hold. */
  protected changing<T>(
    ownerId: number,
    websiteId: number,
    work: (manager: EntityManager) => Promise<T>,
  ): Promise<T> {
    return this.database.write(async (manager) => {
      await lockWebsite(manager, ownerId, websiteId);
      return work(manager);
    });
  }
}

/** Other changes of what belongs to the website wait for the end of the transaction. */
export async function lockWebsite(manager: EntityManager, userId: number, id: number): Promise<void> {
  await manager.query('UPDATE websites SET user_id = user_id WHERE id = ? AND user_id = ?', [id, userId]);
  await expectWebsite(manager, userId, id);
}

export async function expectWebsite(manager: EntityManager, userId: number, id: number): Promise<void> {
  if (!(await manager.existsBy(Website, { userId, id }))) throw new NotFound('Website');
}
