import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from './until';

export type Route = 'browser' | 'batch';

/** A unique event: each counted value identifies the event. */
export interface UniqueEvent {
  name: 'page' | 'event';
  value: string;
  visitor: number;
  /** The routes have separate ids, so an event is resent on the same route. */
  route: Route;
  /** Without it, the event cannot be resent safely. */
  id: string | undefined;
}

export interface Website {
  id: number;
  domain: string;
}

const CAMPAIGNS = ['spring', 'autumn', undefined];
const REFERRERS = ['www.google.com', 'news.example', undefined];
const EVENTS_OF_A_VISITOR = 5;
const LARGEST_BATCH = 20;
const AFTER_NO_ANSWER_MS = 200;
/** With few clients, requests are always in progress, but a processor stays free for the service. */
const AFTER_AN_ANSWER_MS = 30;

/** A visitor's events all have the same campaign and referrer. */
export const campaignOf = (visitor: number) => CAMPAIGNS[visitor % CAMPAIGNS.length];
export const referrerOf = (visitor: number) => REFERRERS[Math.floor(visitor / 7) % REFERRERS.length];

/** Concurrent clients that send events over both routes, and record the answers. */
export class LoadClients {
  readonly acknowledged = new Set<UniqueEvent>();
  /** Answered with 503 or not at all: each may have been counted. */
  readonly unanswered = new Set<UniqueEvent>();
  /** The statuses in the order of completion; undefined for requests without an answer. */
  readonly statuses: (number | undefined)[] = [];
  private clients: Promise<void>[] = [];
  private stopped = false;
  private made = 0;

  constructor(
    private readonly website: Website,
    private readonly key: string,
    /** The address of one of the service's processes. */
    private readonly address: () => string,
    private readonly patienceMs = 20_000,
  ) {}

  start(clients: number): void {
    this.stopped = false;
    this.clients = Array.from({ length: clients }, (_, index) =>
      this.sendOn(index % 4 === 0 ? 'batch' : 'browser'),
    );
  }

  async stop(): Promise<void> {
    this.stopped = true;
    await Promise.all(this.clients);
  }

  /** Waits until this number of further events are acknowledged. */
  untilAcknowledged(count: number): Promise<void> {
    return untilFurther(() => this.acknowledged.size, count);
  }

  /** Waits until this number of further requests are answered with 503 or not at all. */
  untilRefused(count: number): Promise<void> {
    return untilFurther(() => this.statuses.filter((status) => status !== 202).length, count);
  }

  /** Resends all events that can be resent safely, until they are acknowledged. */
  async sendAgain(): Promise<number> {
    const events = [...this.unanswered].filter(({ id }) => id !== undefined);
    const batched = events.filter(({ route }) => route === 'batch');
    for (let from = 0; from < batched.length; from += LARGEST_BATCH)
      await this.send('batch', batched.slice(from, from + LARGEST_BATCH));
    const others = events.filter(({ route }) => route === 'browser');
    for (let from = 0; from < others.length; from += LARGEST_BATCH) {
      const some = others.slice(from, from + LARGEST_BATCH);
      await Promise.all(some.map((event) => this.send('browser', [event])));
    }
    return events.length;
  }

  /** Sends some new events, and returns the status of the answer. */
  async sendSome(route: Route, count: number, pathLength?: number): Promise<number | undefined> {
    const events = Array.from({ length: count }, () => this.next(route, pathLength));
    return this.send(route, events);
  }

  private async sendOn(route: Route): Promise<void> {
    while (!this.stopped) {
      const count = route === 'batch' ? 1 + Math.floor(Math.random() * LARGEST_BATCH) : 1;
      const status = await this.sendSome(route, count);
      await sleep(status === 202 ? AFTER_AN_ANSWER_MS : AFTER_NO_ANSWER_MS);
    }
  }

  private next(route: Route, pathLength = 0): UniqueEvent {
    const number = this.made++;
    const name = number % 4 === 3 ? 'event' : 'page';
    return {
      name,
      value: (name === 'page' ? `/${number}` : `event ${number}`).padEnd(pathLength, '-'),
      visitor: Math.floor(number / EVENTS_OF_A_VISITOR),
      route,
      id: route === 'batch' || number % 2 === 0 ? randomUUID() : undefined,
    };
  }

  private async send(route: Route, events: UniqueEvent[]): Promise<number | undefined> {
    const status = await this.answerTo(route, events).catch(() => undefined);
    this.statuses.push(status);
    for (const event of events) {
      if (status === 202) this.unanswered.delete(event);
      (status === 202 ? this.acknowledged : this.unanswered).add(event);
    }
    return status;
  }

  private async answerTo(route: Route, events: UniqueEvent[]): Promise<number> {
    const response = await fetch(this.address() + (route === 'browser' ? BROWSER_PATH : this.batchPath), {
      method: 'POST',
      signal: AbortSignal.timeout(this.patienceMs),
      ...(route === 'browser' ? this.asBrowser(events[0]!) : this.asServer(events)),
    });
    const text = await response.text();
    const accepted = route === 'browser' ? !response.headers.has('Milepost-Dropped') : areAccepted(text);
    if (response.status === 202 && !accepted) throw new Error(`not all was accepted: ${text}`);
    if (response.status === 503 && !response.headers.has('Retry-After'))
      throw new Error('no answer said when to try again');
    return response.status;
  }

  private get batchPath(): string {
    return `/api/v1/websites/${this.website.id}/events`;
  }

  private asBrowser(event: UniqueEvent): RequestInit {
    return {
      headers: { 'Content-Type': 'text/plain', 'User-Agent': agentOf(event.visitor) },
      body: JSON.stringify(this.bodyOf(event)),
    };
  }

  /** Uses the address of the crowd's browsers, so that a visitor is the same over both routes. */
  private asServer(events: UniqueEvent[]): RequestInit {
    const bodies = events.map((event) => ({
      ...this.bodyOf(event),
      ip: '127.0.0.1',
      user_agent: agentOf(event.visitor),
    }));
    return {
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${this.key}` },
      body: JSON.stringify({ events: bodies }),
    };
  }

  private bodyOf({ name, value, visitor, id }: UniqueEvent): object {
    const url = new URL(name === 'page' ? value : '/', `https://${this.website.domain}`);
    const campaign = campaignOf(visitor);
    if (campaign) url.searchParams.set('utm_campaign', campaign);
    const referrer = referrerOf(visitor);
    return {
      url: url.href,
      ...(referrer && { referrer: `https://${referrer}/` }),
      ...(name === 'event' && { event: { name: value } }),
      ...(id && { id }),
    };
  }
}

/** Fails if nothing is added for as long as `until` waits. */
async function untilFurther(countNow: () => number, further: number): Promise<void> {
  const wanted = countNow() + further;
  for (let count = countNow(); count < wanted; count = countNow()) await until(() => countNow() > count);
}

const BROWSER_PATH = '/api/v1/events';

function agentOf(visitor: number): string {
  return `Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.${visitor}.0 Safari/537.36`;
}

function areAccepted(answer: string): boolean {
  const { data = [] } = JSON.parse(answer) as { data?: { status: string }[] };
  return data.every(({ status }) => status === 'accepted' || status === 'duplicate');
}
