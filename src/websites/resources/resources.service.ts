import { version as release } from '../../../package.json';
import type { Caller } from '../../../engine/ground/gate';
import type { ApiKey } from '../../auth/api-key.entity';
import { NotFound, PreconditionFailed } from '../../common/problems';
import type { Rows } from '../../../engine/ground/rows';
import type { ReadMemory } from '../../../engine/ground/memory/read-memory';
import type { StoreRequest, StoreRequests } from '../store-requests';
import type { ResourceKind } from './define-resource';
import type { ListResources } from './list-resources.dto';
import type { Resource } from './resource.entity';
import type { Deletion } from './resource.view';
import type { NewResource, ResourcesRepository } from './resources.repository';

/** Tells whether the current version is the one that the caller means to change or delete. */
export type IsExpected<V> = (current: V) => boolean;
export const anyVersion = () => true;

/** A hundred resources with JSON of 16 KiB, as rows and as a text. */
const BYTES_OF_ALL = 8 * 1024 * 1024;

/** What the services of all resources do alike. */
export abstract class ResourcesService<
  E extends Resource,
  V extends { id: number },
  S extends object,
  C extends object,
> {
  constructor(
    private readonly kind: ResourceKind<E, V, S, C>,
    private readonly resources: ResourcesRepository<E>,
    private readonly requests: StoreRequests,
    private readonly memory: ReadMemory,
  ) {}

  async page(ownerId: number, websiteId: number, query: ListResources): Promise<Rows<V>> {
    const { rows, total } = await this.resources.page(ownerId, websiteId, query);
    return { rows: rows.map(this.kind.view.of), total };
  }

  async version(ownerId: number, websiteId: number, query: ListResources): Promise<unknown[]> {
    const { object } = this.kind;
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
      yield* memory.offer([all.map(this.kind.view.of)]);
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
  ): Promise<Deletion> {
    const isDeleted = await this.resources.delete(ownerId, websiteId, id, (resource) =>
      this.expect(isExpected, resource),
    );
    if (!isDeleted) throw new NotFound(this.kind.what);
    return { id, object: this.kind.object, deleted: true };
  }

  /** With a key whose scope may be narrower than `full`. */
  storeAs(key: ApiKey, websiteId: number, sent: S, idempotencyKey?: string): Promise<V> {
    return this.store(key.userId, websiteId, sent, idempotencyKey);
  }

  /** With an idempotency key, repeated requests create one resource. */
  async store(ownerId: number, websiteId: number, sent: S, idempotencyKey?: string): Promise<V> {
    const resource = this.newOf(sent);
    const request = this.requestOf(ownerId, websiteId, resource, idempotencyKey);
    return this.kind.view.of(await this.resources.insert(ownerId, websiteId, resource, request));
  }

  /** Writes nothing if the resource already is as wanted. */
  update(
    ownerId: number,
    websiteId: number,
    id: number,
    sent: C,
    isExpected: IsExpected<V> = anyVersion,
  ): Promise<V> {
    return this.change(ownerId, websiteId, id, (before) => this.changedBy(before, sent), isExpected);
  }

  protected newOf(sent: S): NewResource<E> {
    return { ...this.kind.defaults, ...withoutAbsent(sent) } as unknown as NewResource<E>;
  }

  protected changedBy(before: E, sent: C): E {
    return { ...before, ...withoutAbsent(sent) };
  }

  protected requestOf(
    ownerId: number,
    websiteId: number,
    sent: object,
    key: string | undefined,
  ): StoreRequest | undefined {
    if (key === undefined) return undefined;
    return this.requests.of(ownerId, key, sent, `${this.kind.object} of website ${websiteId} `);
  }

  protected async change(
    ownerId: number,
    websiteId: number,
    id: number,
    changed: (resource: E) => E,
    isExpected: IsExpected<V>,
  ): Promise<V> {
    const resource = await this.resources.change(ownerId, websiteId, id, (before) => {
      this.expect(isExpected, before);
      return changed(before);
    });
    return this.shown(resource);
  }

  private shown(resource: E | null): V {
    if (!resource) throw new NotFound(this.kind.what);
    return this.kind.view.of(resource);
  }

  private expect(isExpected: IsExpected<V>, resource: E): void {
    if (!isExpected(this.kind.view.of(resource))) throw new PreconditionFailed();
  }
}

/** Without fields that were not sent. */
function withoutAbsent<T extends object>(sent: T): Partial<T> {
  return Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== undefined)) as Partial<T>;
}
