import { Alerts } from './alerts.ts';
import { Reports } from './reports.ts';
import type {
  Answer,
  AnswerTo,
  Hit,
  PageEvent,
  Query,
  HitQuery,
  QueryAnswer,
  Schemas,
  ServerEvent,
  StatEntry,
  StatName,
  Website,
} from './operations.ts';
import { EventQueue, type QueueOptions } from './queue.ts';
import { type CallOptions, lines, type Options, request, type Sent } from './request.ts';
import { type IfMatch, Resources } from './resources.ts';
import { uuid } from './uuid.ts';
import { Webhooks } from './webhooks.ts';

export * from './errors.ts';
export type * from './operations.ts';
export type { EventQueue, LostReason, QueueOptions } from './queue.ts';
export type { CallOptions, Options } from './request.ts';
export { NotVerified, verifyWebhook, type WebhookPayload } from './verification.ts';

const WEBSITES = '/api/v1/websites';
const KEYS = '/api/v1/keys';
const ME = '/api/v1/me';

type Update = Schemas['UpdateWebsite'];
/** The request may outlive its page. */
type Leaving = CallOptions & { keepalive?: boolean };

/** Calls one service with one key. */
export class Milepost {
  private readonly options: Options;

  constructor(options: Options) {
    this.options = options;
  }

  readonly websites = {
    list: (query: Query<'listWebsites'> = {}, options?: CallOptions) =>
      this.send<Answer<'listWebsites'>>(WEBSITES, { query, ...options }),
    /** All matches, page by page. */
    all: (query: Omit<Query<'listWebsites'>, 'page'> = {}, options?: CallOptions): AsyncGenerator<Website> =>
      this.pages(WEBSITES, query, options),
    get: (id: number, options?: CallOptions) => this.send<Answer<'getWebsite'>>(`${WEBSITES}/${id}`, options),
    /** Retries do not create a second website. */
    create: (
      body: Schemas['StoreWebsite'],
      { idempotencyKey = uuid(), signal }: CallOptions & { idempotencyKey?: string } = {},
    ) =>
      this.send<Answer<'createWebsite'>>(WEBSITES, {
        ...withBody('POST', body, { signal }),
        headers: { 'Idempotency-Key': idempotencyKey },
      }),
    update: (id: number, body: Update, { ifMatch, ...options }: IfMatch = {}) =>
      this.send<Answer<'updateWebsite'>>(`${WEBSITES}/${id}`, {
        ...withBody('PATCH', body, options),
        headers: { 'If-Match': ifMatch },
      }),
    delete: (id: number, { ifMatch, ...options }: IfMatch = {}) =>
      this.send<Answer<'deleteWebsite'>>(`${WEBSITES}/${id}`, {
        method: 'DELETE',
        headers: { 'If-Match': ifMatch },
        ...options,
      }),
  };

  readonly goals = new Resources<'Goal'>('goals', this.service());

  readonly savedFilters = new Resources<'SavedFilter'>('saved-filters', this.service());

  readonly funnels = new Resources<'Funnel'>('funnels', this.service());

  readonly annotations = new Resources<'Annotation', Query<'listAnnotations'>>('annotations', this.service());

  readonly exclusions = new Resources<'Exclusion'>('exclusions', this.service());

  readonly alerts = new Alerts('alerts', this.service());

  readonly reports = new Reports(this.service());

  readonly webhooks = new Webhooks(this.service());

  readonly stats = {
    list: (websiteId: number, query: Query<'getStats'>, options?: CallOptions) =>
      this.send<Answer<'getStats'>>(statsPath(websiteId), { query, ...options }),
    /** All matching entries, page by page. */
    all: (
      websiteId: number,
      query: Omit<Query<'getStats'>, 'page'>,
      options?: CallOptions,
    ): AsyncGenerator<StatEntry> => this.pages(statsPath(websiteId), query, options),
    summary: (
      websiteId: number,
      { names, ...query }: Omit<Query<'getStatsSummary'>, 'names'> & { names: readonly StatName[] },
      options?: CallOptions,
    ) =>
      this.send<Answer<'getStatsSummary'>>(`${statsPath(websiteId)}/summary`, {
        query: { names: names.map(encodeURIComponent), ...query },
        ...options,
      }),
    /** Runs one hit query, or several on one snapshot. */
    query: <const Q extends HitQuery | { queries: readonly HitQuery[] }>(
      websiteId: number,
      requested: Q,
      options?: CallOptions,
    ) =>
      this.send<Q extends HitQuery ? AnswerTo<Q> : { data: QueryAnswer[] }>(
        `${statsPath(websiteId)}/query`,
        withBody('POST', requested, options),
      ),
    /** The visitors who take the steps of a funnel. */
    funnel: (websiteId: number, requested: Schemas['FunnelQuery'], options?: CallOptions) =>
      this.send<Answer<'queryFunnel'>>(
        `${statsPath(websiteId)}/funnel`,
        withBody('POST', requested, options),
      ),
    /** The pages and events of visits, step by step. */
    journey: (websiteId: number, requested: Schemas['JourneyQuery'], options?: CallOptions) =>
      this.send<Answer<'queryJourney'>>(
        `${statsPath(websiteId)}/journey`,
        withBody('POST', requested, options),
      ),
    /** The current visitors of a website. */
    live: (websiteId: number, options?: CallOptions) =>
      this.send<Answer<'getLiveVisitors'>>(`${statsPath(websiteId)}/live`, options),
    /** The values of a name, the most frequent first. */
    values: (websiteId: number, query: Query<'listValues'>, options?: CallOptions) =>
      this.send<Answer<'listValues'>>(`${statsPath(websiteId)}/values`, { query, ...options }),
    /** All hits of a range, as they arrive. */
    hits: (websiteId: number, query: Query<'exportHits'>, options?: CallOptions): AsyncGenerator<Hit> =>
      lines(this.options, `${statsPath(websiteId)}/hits`, {
        query,
        headers: { Accept: 'application/x-ndjson' },
        ...options,
      }),
  };

  readonly names = {
    list: (options?: CallOptions) => this.send<Answer<'listNames'>>('/api/v1/names', options),
  };

  readonly events = {
    /** Sends visitors' events from a server. Each has an id, so that it is counted once. */
    send: (websiteId: number, events: readonly ServerEvent[], options?: Leaving) =>
      this.send<Answer<'sendEvents'>>(
        `${WEBSITES}/${websiteId}/events`,
        withBody('POST', { events }, options),
      ),
    /** Sends an event of the visitor whose browser runs this, without a key. Returns why it was dropped, if it was. */
    sendOwn: (event: PageEvent, options?: Leaving) =>
      this.send<{ dropped?: string }>('/api/v1/events', {
        ...withBody('POST', event, options),
        // Avoids a preflight request if the service is on another host.
        headers: { 'Content-Type': 'text/plain', Authorization: undefined },
      }),
  };

  readonly keys = {
    list: (query: Query<'listKeys'> = {}, options?: CallOptions) =>
      this.send<Answer<'listKeys'>>(KEYS, { query, ...options }),
    get: (id: number, options?: CallOptions) => this.send<Answer<'getKey'>>(`${KEYS}/${id}`, options),
    /** The answer contains the key, which cannot be read again. */
    create: (body: Schemas['CreateKey'], options?: CallOptions) =>
      this.send<Answer<'createKey'>>(KEYS, { ...withBody('POST', body, options), isRepeatable: false }),
    delete: (id: number, options?: CallOptions) =>
      this.send<Answer<'deleteKey'>>(`${KEYS}/${id}`, { method: 'DELETE', ...options }),
  };

  readonly me = {
    get: (options?: CallOptions) => this.send<Answer<'getMe'>>(ME, options),
    update: (body: Schemas['UpdateMe'], options?: CallOptions) =>
      this.send<Answer<'updateMe'>>(ME, withBody('PATCH', body, options)),
  };

  /** Sends visitors' events of a website in batches, from a server. */
  queue(websiteId: number, options: QueueOptions<ServerEvent> = {}): EventQueue<ServerEvent> {
    const send = async (events: ServerEvent[], sent: Leaving) =>
      (await this.events.send(websiteId, events, sent)).data;
    return new EventQueue<ServerEvent>(send, true, options);
  }

  /** Sends events of the visitor whose browser runs this. */
  pageQueue(options: QueueOptions<PageEvent> = {}): EventQueue<PageEvent> {
    const send = async ([event]: PageEvent[], sent: Leaving) =>
      void (await this.events.sendOwn(event!, sent));
    return new EventQueue<PageEvent>(send, false, options);
  }

  private service() {
    return { send: this.send.bind(this), pages: this.pages.bind(this) };
  }

  private send<T>(path: string, sent?: Sent): Promise<T> {
    return request<T>(this.options, path, sent);
  }

  private async *pages<T>(path: string, query: object, options?: CallOptions): AsyncGenerator<T> {
    for (let page = 1, last = 1; page <= last; page++) {
      const requested = { per_page: 100, ...query, page };
      const { data, meta } = await this.send<{ data: T[]; meta: Schemas['PageMeta'] }>(path, {
        query: requested,
        ...options,
      });
      yield* data;
      last = meta.last_page;
    }
  }
}

function statsPath(websiteId: number): string {
  return `/api/v1/stats/${websiteId}`;
}

function withBody(method: string, body: object, options?: Sent): Sent {
  return { method, body, ...options };
}
