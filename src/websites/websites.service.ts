import { Injectable } from '@nestjs/common';
import { version as release } from '../../package.json';
import type { Caller } from '../../engine/ground/gate';
import { InvalidFields } from '../../engine/ground/errors';
import { NotFound, PreconditionFailed } from '../common/problems';
import type { Rows } from '../../engine/ground/rows';
import { Settings } from '../config/settings';
import { inChunks } from '../../engine/database/rows';
import type { ListWebsites } from './dto/list-websites.dto';
import type { StoreWebsite } from './dto/store-website.dto';
import type { UpdateWebsite } from './dto/update-website.dto';
import { type ChangeMetaView, DeletionView, NO_REPORTS, WebsiteView } from './dto/website.view';
import { canBeDomain, isLocal } from './domain';
import { columnsOf, initialColumns } from './website-option';
import { hashPassword } from './privacy/password';
import { RESERVED_DAYS } from './retention';
import { StoreRequests } from './store-requests';
import { Privacy } from './privacy/privacy';
import type { Website } from './website.entity';
import {
  type NewWebsite,
  type OnlyThese,
  type StoreRefusal,
  WebsitesRepository,
} from './websites.repository';

/** Tells whether the current version is the one that the caller means to change or delete. */
export type IsExpected = (current: WebsiteView) => boolean;
const anyVersion: IsExpected = () => true;

/** Even with the longest domains, a statement stays below 256 KiB. */
const DOMAINS_PER_LOOKUP = 500;
const LOCAL = 'is not a domain: enter something like example.com, with two or more labels, not an IP address';
const REFUSALS: Record<StoreRefusal, string> = {
  taken: 'is already registered',
  subdomain: "is a subdomain of another user's website",
  reserved: `was deleted less than ${RESERVED_DAYS} days ago and is reserved for its former owner`,
};

@Injectable()
export class WebsitesService {
  constructor(
    private readonly websites: WebsitesRepository,
    private readonly requests: StoreRequests,
    private readonly settings: Settings,
  ) {}

  async page(ownerId: number, query: ListWebsites, only: OnlyThese = null): Promise<Rows<WebsiteView>> {
    const [websites, total] = await this.websites.list(ownerId, query, only);
    return { rows: websites.map(WebsiteView.of), total };
  }

  /** The ids of a page of the owner's websites. */
  ids(ownerId: number, page: Pick<ListWebsites, 'page' | 'per_page'>, only: OnlyThese): Promise<number[]> {
    return this.websites.listIds(ownerId, page, only);
  }

  /** Changes with any website. */
  async version(ownerId: number, query: ListWebsites, only: OnlyThese = null): Promise<unknown[]> {
    return [release, ownerId, query, only, await this.websites.version()];
  }

  /** The whole list, in pieces. */
  async *pieces(
    ownerId: number,
    query: ListWebsites,
    caller: Caller,
    only: OnlyThese = null,
  ): AsyncGenerator<WebsiteView[]> {
    for await (const websites of this.websites.pieces(ownerId, query, caller, only))
      yield websites.map(WebsiteView.of);
  }

  async show(ownerId: number, id: number): Promise<WebsiteView> {
    return WebsiteView.of(found(await this.websites.find(ownerId, id)));
  }

  /** The id of the owner's website with this domain. */
  idOf(ownerId: number, domain: string): Promise<number | undefined> {
    return this.websites.idOf(ownerId, domain);
  }

  /** The ids among these that are websites of the owner. */
  async owned(ownerId: number, ids: number[]): Promise<Set<number>> {
    return new Set(await this.websites.findOwned(ownerId, ids));
  }

  /** The domains among these that are websites, regardless of the owner. */
  async registered(domains: string[]): Promise<Set<string>> {
    const registered = new Set<string>();
    for (const some of inChunks(domains.filter(canBeDomain), DOMAINS_PER_LOOKUP))
      for (const domain of await this.websites.findRegisteredUnscoped(some)) registered.add(domain);
    return registered;
  }

  /** Throws if the owner cannot register the domain now. */
  async checkDomain(ownerId: number, domain: string): Promise<void> {
    this.checkLocal(domain);
    const refusal = await this.websites.findRefusal(ownerId, domain);
    if (refusal) throw notAvailable(refusal);
  }

  private checkLocal(domain: string): void {
    if (isLocal(domain) && !this.settings.allowLocalDomains) throw new InvalidFields({ domain: [LOCAL] });
  }

  /** With an idempotency key, repeated requests create one website. */
  async store(
    ownerId: number,
    input: StoreWebsite,
    caller: Caller,
    idempotencyKey?: string,
  ): Promise<WebsiteView> {
    const { domain } = input;
    const request =
      idempotencyKey === undefined ? undefined : this.requests.of(ownerId, idempotencyKey, input);
    const made = request && (await this.requests.findMade(request));
    if (made) return WebsiteView.of(made);
    this.checkLocal(domain);
    // A hash is costly, so the domain is checked first.
    if (input.password) await this.checkDomain(ownerId, domain);
    const columns = columnsOf(await withHash(caller, input));
    const website = { userId: ownerId, domain, ...initialColumns(), ...columns } as NewWebsite;
    const stored = await this.websites.insert(withPassword(website), request);
    if (typeof stored === 'string') throw notAvailable(stored);
    return WebsiteView.of(stored);
  }

  /** Changes the given options. Writes nothing if they already have these values. */
  async update(
    ownerId: number,
    id: number,
    input: UpdateWebsite,
    caller: Caller,
    isExpected = anyVersion,
  ): Promise<WebsiteView> {
    // A hash is costly, so the conditions are checked first.
    if (input.password) check(isExpected, found(await this.websites.find(ownerId, id)));
    const columns = columnsOf(await withHash(caller, input));
    const changed = (website: Website) => {
      check(isExpected, website);
      return withPassword({ ...website, ...columns });
    };
    return WebsiteView.of(found(await this.websites.change(ownerId, id, changed)));
  }

  /** The meta of an answer to a change. Undefined if there is nothing to warn of. */
  changeMeta({ email }: WebsiteView): ChangeMetaView | undefined {
    if (email === 0 || this.settings.reports !== 'off') return undefined;
    return { warnings: [{ code: 'reports_not_sent', detail: NO_REPORTS }] };
  }

  async delete(ownerId: number, id: number, isExpected = anyVersion): Promise<DeletionView> {
    const deleted = await this.websites.delete(ownerId, id, (website) => check(isExpected, website));
    if (!deleted) throw new NotFound('Website');
    return { id, object: 'website', deleted: true };
  }
}

function notAvailable(refusal: StoreRefusal): InvalidFields {
  return new InvalidFields({ domain: [REFUSALS[refusal]] });
}

function check(isExpected: IsExpected, website: Website): void {
  if (!isExpected(WebsiteView.of(website))) throw new PreconditionFailed();
}

function found(website: Website | null): Website {
  if (!website) throw new NotFound('Website');
  return website;
}

function withPassword<T extends Pick<Website, 'privacy' | 'passwordHash'>>(website: T): T {
  if (website.privacy === Privacy.Password && website.passwordHash === null)
    throw new InvalidFields({ password: ['is required while privacy is 2 (Password)'] });
  return website;
}

/** The input with the password replaced by its hash. */
async function withHash<T extends UpdateWebsite>(caller: Caller, input: T): Promise<T> {
  if (!input.password) return input;
  return { ...input, password: await hashPassword(caller, input.password) };
}
