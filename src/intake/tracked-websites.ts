import { Injectable } from '@nestjs/common';
import { ByteCache, bytesOfText } from '../common/memory/byte-cache';
import { type AddressRules, compileAddresses } from '../derive/addresses';
import { compileOrigins, type OriginRules } from '../derive/origin';
import { ParameterRules } from '../derive/page/parameters';
import type { Website } from '../websites/website.entity';
import { WebsitesRepository } from '../websites/websites.repository';

/** A website's options for events. */
export interface TrackedWebsite {
  id: number;
  /** The version of all websites when it was read. */
  version: number;
  domain: string;
  excludesBots: boolean;
  isAllowedOrigin: OriginRules;
  isExcluded: AddressRules;
  excludedParameters: ParameterRules;
  /** Approximate size in memory. */
  bytes: number;
}

/** After more changed domains, all websites are read again. */
const MAX_CHANGED = 1000;
const BYTES_PER_WEBSITE = 1000;
/** Compiled rules take more memory than their text. */
const RULES_BYTES_PER_BYTE = 4;
const UNREGISTERED = 'unregistered';

/** Cache of the websites that receive events, valid for the current version of all websites. */
@Injectable()
export class TrackedWebsites {
  private readonly byDomain = new ByteCache<TrackedWebsite | typeof UNREGISTERED>('websites', (website) =>
    website === UNREGISTERED ? 0 : website.bytes,
  );
  /** The version at which each domain's change was noticed; complete from `completeFrom` on. */
  private readonly changedAt = new Map<string, number>();
  private completeFrom = -1;
  private running: Promise<unknown> = Promise.resolve();
  private next: Promise<number> | undefined;
  version = -1;

  constructor(private readonly websites: WebsitesRepository) {}

  known(domain: string): TrackedWebsite | undefined {
    const website = this.byDomain.get(domain);
    return website === UNREGISTERED ? undefined : website;
  }

  /** Whether a website is unchanged since it was read. */
  isCurrent({ domain, version }: TrackedWebsite): boolean {
    return version >= this.completeFrom && version >= (this.changedAt.get(domain) ?? version);
  }

  /** Reads changes first, so that a website just stored by another process is found. */
  async find(domain: string): Promise<TrackedWebsite | undefined> {
    for (;;) {
      const version = await this.lookAgain();
      const known = this.byDomain.get(domain);
      if (known) return known === UNREGISTERED ? undefined : known;
      const website = await this.websites.findByDomainUnscoped(domain);
      if (this.version === version) return this.keep(domain, website);
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
      this.byDomain.clear();
      this.changedAt.clear();
      this.completeFrom = version;
    } else
      for (const domain of domains) {
        this.byDomain.delete(domain);
        this.changedAt.set(domain, version);
      }
    this.version = version;
    return version;
  }

  private keep(domain: string, website: Website | null): TrackedWebsite | undefined {
    const tracked = website ? asTracked(website, this.version) : undefined;
    this.byDomain.set(domain, tracked ?? UNREGISTERED);
    return tracked;
  }
}

function asTracked(website: Website, version: number): TrackedWebsite {
  const rules = [website.excludeIps, website.excludeParams, website.allowedOrigins];
  return {
    version,
    id: website.id,
    domain: website.domain,
    excludesBots: website.excludeBots === 1,
    isAllowedOrigin: compileOrigins(website.domain, website.allowedOrigins),
    isExcluded: compileAddresses(website.excludeIps),
    excludedParameters: new ParameterRules(website.excludeParams),
    bytes: rules.reduce(
      (sum, text) => sum + RULES_BYTES_PER_BYTE * bytesOfText(text ?? null),
      BYTES_PER_WEBSITE,
    ),
  };
}
