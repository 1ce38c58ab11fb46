import type { Answer, Schemas } from './operations.ts';
import type { CallOptions, Sent } from './request.ts';
import { uuid } from './uuid.ts';

/** The kinds that are stored and updated, as the operations name them. */
type Kind = Extract<
  { [K in keyof Schemas]: `Store${K}` extends keyof Schemas ? K : never }[keyof Schemas],
  string
>;

export interface ListQuery {
  search?: string;
  page?: number;
  per_page?: 10 | 25 | 50 | 100;
}

/** Only if the resource still has the version with this ETag. */
export type IfMatch = CallOptions & { ifMatch?: string };

export interface Service {
  send<T>(path: string, sent?: Sent): Promise<T>;
  pages<T>(path: string, query: object, options?: CallOptions): AsyncGenerator<T>;
}

/** The resources of one kind, with the parameters of their list. */
export class Resources<K extends Kind, Q extends ListQuery = ListQuery> {
  private readonly path: string;
  protected readonly service: Service;

  constructor(path: string, service: Service) {
    this.path = path;
    this.service = service;
  }

  list(websiteId: number, query?: Q, options?: CallOptions) {
    return this.service.send<Answer<`list${K}s`>>(this.pathOf(websiteId), {
      ...(query && { query }),
      ...options,
    });
  }

  /** All matches, page by page. */
  all(websiteId: number, query?: Omit<Q, 'page'>, options?: CallOptions): AsyncGenerator<Schemas[K]> {
    return this.service.pages(this.pathOf(websiteId), query ?? {}, options);
  }

  get(websiteId: number, id: number, options?: CallOptions) {
    return this.service.send<Answer<`get${K}`>>(this.pathOf(websiteId, id), options);
  }

  /** Retries do not create a second one. */
  create(
    websiteId: number,
    body: Schemas[`Store${K}`],
    { idempotencyKey = uuid(), signal }: CallOptions & { idempotencyKey?: string } = {},
  ) {
    return this.service.send<Answer<`create${K}`>>(this.pathOf(websiteId), {
      method: 'POST',
      body,
      headers: { 'Idempotency-Key': idempotencyKey },
      ...(signal && { signal }),
    });
  }

  update(websiteId: number, id: number, body: Schemas[`Update${K}`], { ifMatch, ...options }: IfMatch = {}) {
    return this.service.send<Answer<`update${K}`>>(this.pathOf(websiteId, id), {
      method: 'PATCH',
      body,
      headers: { 'If-Match': ifMatch },
      ...options,
    });
  }

  delete(websiteId: number, id: number, { ifMatch, ...options }: IfMatch = {}) {
    return this.service.send<Answer<`delete${K}`>>(this.pathOf(websiteId, id), {
      method: 'DELETE',
      headers: { 'If-Match': ifMatch },
      ...options,
    });
  }

  protected pathOf(websiteId: number, id?: number): string {
    const list = `/api/v1/websites/${websiteId}/${this.path}`;
    return id === undefined ? list : `${list}/${id}`;
  }
}
