import { Injectable } from '@nestjs/common';
import { ByteCache } from '../../engine/ground/memory/byte-cache';
import { type AddressRules, compileAddresses } from '../derive/excluded-addresses';
import { compileOrigins, type OriginRules } from '../derive/origin';
import { ParameterRules } from '../derive/page/excluded-parameters';
import type { Website } from '../websites/website.entity';
import { WebsitesRepository } from '../websites/websites.repository';

/** A website's options for events. */
export interface TrackedWebsite {
  id: number;
  /** The version of all websites when it was read. */
  version: number;
  domain: string;
  excludesBots: boolean;
  keepsTitles: boolean;
  isAllowedOrigin: OriginRules;
  isExcluded: AddressRules;
  excludedParameters: ParameterRules;
  /** Approximate size in memory. */
  bytes: number;
}

/** After more changed domains, all websites are read again. */
const MAX_CHANGED = 1000;
const BYTES_PER_WEBSITE = 1000;
/** An address, a range or a host is kept as a hash. */
const BYTES_PER_LINE = 40;
/** Larger ones share a cache of their own, so that they never take the place of others. */
const LARGE_BYTES = 8 * 1024;
const UNREGISTERED = 'unregistered';

type Known = TrackedWebsite | typeof UNREGISTERED;
const bytesOf = (known: Known) => (known === UNREGISTERED ? 0 : known.bytes);

/** Cache of the websites that receive events, valid for the current version of all websites. */
@Injectable()
export class TrackedWebsites {
  private readonly small = new ByteCache<Known>('websites', bytesOf);
  private readonly large = new ByteCache<Known>('largeWebsites', bytesOf);
  /** The reads that are under way, by version and domain. */
  private readonly reading = new Map<string, Promise<TrackedWebsite | undefined>>();
  /** The version at which each domain's change was noticed; complete from `completeFrom` on. */
  private readonly changedAt = new Map<string, number>();
  private completeFrom = -1;
  private running: Promise<unknown> = Promise.resolve();
  private next: Promise<number> | undefined;
  version = -1;

  constructor(private readonly websites: WebsitesRepository) {}

  known(domain: string): TrackedWebsite | undefined {
    const website = this.get(domain);
    return website === UNREGISTERED ? undefined : website;
  }

  /** Tells whether a website is unchanged since it was read. */
  isCurrent({ domain, version }: TrackedWebsite): boolean {
    return version >= this.completeFrom && version >= (this.changedAt.get(domain) ?? version);
  }

  /** Reads changes first, so that a website just stored by another process is found. */
  async find(domain: string): Promise<TrackedWebsite | undefined> {
    for (;;) {
      const version = await this.lookAgain();
      const known = this.get(domain);
      if (known) return known === UNREGISTERED ? undefined : known;
      const website = await this.read(domain, version);
      if (this.version === version) return website;
    }
  }

  /** Reads changes once at a time: callers during a read share the next one. */
  lookAgain(): Promise<number> {
    this.next ??= this.running.then(() => {
      this.next = undefined;
      const look = this.look();
      this.running = look.catch(() => undefined);
      return look;
    });
    return this.next;
  }

  /** Drops the domains that changed since the last read, or all if the changes are unknown. */
  private async look(): Promise<number> {
    const { version, domains } = await this.websites.changesSince(this.version);
    if (!domains || this.changedAt.size + domains.length > MAX_CHANGED) {
      for (const cache of [this.small, this.large]) cache.clear();
      this.changedAt.clear();
      this.completeFrom = version;
    } else
      for (const domain of domains) {
        for (const cache of [this.small, this.large]) cache.delete(domain);
        this.changedAt.set(domain, version);
      }
    this.version = version;
    return version;
  }

  private get(domain: string): Known | undefined {
    return this.small.get(domain) ?? this.large.get(domain);
  }

  /** Events that wait for the same website share a read. */
  private read(domain: string, version: number): Promise<TrackedWebsite | undefined> {
    const key = `${version} ${domain}`;
    const known = this.reading.get(key);
    if (known) return known;
    const reading = this.websites.findByDomainUnscoped(domain).then((website) => {
      const tracked = website ? asTracked(website, version) : undefined;
      if (this.version === version) this.keep(domain, tracked ?? UNREGISTERED);
      return tracked;
    });
    this.reading.set(key, reading);
    const end = () => void this.reading.delete(key);
    void reading.then(end, end);
    return reading;
  }

  private keep(domain: string, known: Known): void {
    (bytesOf(known) > LARGE_BYTES ? this.large : this.small).set(domain, known);
  }
}

function asTracked(website: Website, version: number): TrackedWebsite {
  const { domain, excludeIps, allowedOrigins } = website;
  const excludedParameters = new ParameterRules(website.excludeParams);
  return {
    version,
    id: website.id,
    domain,
    excludesBots: website.excludeBots === 1,
    keepsTitles: website.titles === 1,
    isAllowedOrigin: compileOrigins(domain, allowedOrigins),
    isExcluded: compileAddresses(excludeIps),
    excludedParameters,
    bytes:
      BYTES_PER_WEBSITE +
      BYTES_PER_LINE * (linesIn(excludeIps) + linesIn(allowedOrigins)) +
      excludedParameters.bytes,
  };
}

function linesIn(text: string | null): number {
  return text === null ? 0 : text.split('\n').length;
}
