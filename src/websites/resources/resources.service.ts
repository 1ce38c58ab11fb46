import { version as release } from '../../../package.json';
import type { Caller } from '../../../engine/ground/gate';
import { type Missing, NotFound, PreconditionFailed } from '../../common/problem';
import type { Rows } from '../../../engine/ground/rows';
import type { ReadMemory } from '../../../engine/database/connections/read-memory';
import type { StoreRequests } from '../store-requests';
import type { ListResources } from './list-resources.dto';
import type { Resource } from './resource.entity';
import type { Deletion } from './resource.view';
import type { NewResource, ResourcesRepository } from './resources.repository';

/** Whether the current version is the one that the caller means to change or delete. */
type IsExpected<V> = (current: V) => boolean;
const anyVersion = () => true;

/** A hundred resources with JSON of 16 KiB, as rows and as a text. */
const BYTES_OF_ALL = 8 * 1024 * 1024;

interface Wording<E, V, O> {
  what: Missing;
  /** Its kind in the confirmation of a deletion. */
  object: O;
  viewOf: (resource: E) => V;
}

/** What the services of all resources do alike. */
export abstract class ResourcesService<E extends Resource, V extends object, O extends string> {
  constructor(
    private readonly resources: ResourcesRepository<E>,
    private readonly requests: StoreRequests,
    private readonly memory: ReadMemory,
    private readonly wording: Wording<E, V, O>,
  ) {}

  async page(ownerId: number, websiteId: number, query: ListResources): Promise<Rows<V>> {
    const { rows, total } = await this.resources.page(ownerId, websiteId, query);
    return { rows: rows.map(this.wording.viewOf), total };
  }

  async version(ownerId: number, websiteId: number, query: ListResources): Promise<unknown[]> {
    const { object } = this.wording;
    const shown = await this.resources.version(ownerId, websiteId, query);
    return [release, object, websiteId, query.search, shown];
  }

  /** The whole list, as one piece. */
  async *pieces(
    ownerId: number,
    websiteId: number,
    query: ListResources,
    caller: Caller,
  ): AsyncGenerator<V[]> {
    const memory = this.memory.reserve(caller, BYTES_OF_ALL);
    try {
      const all = await this.resources.all(ownerId, websiteId, query);
      yield* memory.offer([all.map(this.wording.viewOf)]);
    } finally {
      memory.release();
    }
  }

  async show(ownerId: number, websiteId: number, id: number): Promise<V> {
    return this.shown(await this.resources.find(ownerId, websiteId, id));
  }

  async delete(
    ownerId: number,
    websiteId: number,
    id: number,
    isExpected: IsExpected<V> = anyVersion,
  ): Promise<Deletion<O>> {
    const isDeleted = await this.resources.delete(ownerId, websiteId, id, (resource) =>
      this.expect(isExpected, resource),
    );
    if (!isDeleted) throw new NotFound(this.wording.what);
    return { id, object: this.wording.object, deleted: true };
  }

  /** With an idempotency key, repeated requests create one resource. */
  protected async insert(
    ownerId: number,
    websiteId: number,
    resource: NewResource<E>,
    idempotencyKey: string | undefined,
  ): Promise<V> {
    const { viewOf, object } = this.wording;
    const request =
      idempotencyKey === undefined
        ? undefined
        : this.requests.of(ownerId, idempotencyKey, resource, `${object} of website ${websiteId} `);
    return viewOf(await this.resources.insert(ownerId, websiteId, resource, request));
  }

  /** Writes nothing if the resource already is as wanted. */
  protected async change(
    ownerId: number,
    websiteId: number,
    id: number,
    changed: (resource: E) => E,
    isExpected: IsExpected<V> = anyVersion,
  ): Promise<V> {
    const resource = await this.resources.change(ownerId, websiteId, id, (before) => {
      this.expect(isExpected, before);
      return changed(before);
    });
    return this.shown(resource);
  }

  private shown(resource: E | null): V {
    if (!resource) throw new NotFound(this.wording.what);
    return this.wording.viewOf(resource);
  }

  private expect(isExpected: IsExpected<V>, resource: E): void {
    if (!isExpected(this.wording.viewOf(resource))) throw new PreconditionFailed();
  }
}
