import { Injectable } from '@nestjs/common';
import type { Website } from '../websites/website.entity';
import { WebsitesRepository } from '../websites/websites.repository';
import { type AddressRules, compileAddresses } from './addresses';
import { compileParameters, type ParameterRules } from './parameters';

/** What tracking needs to know of a website. */
export interface TrackedWebsite {
  id: number;
  /** The version of all websites at which it was read. */
  version: number;
  domain: string;
  excludesBots: boolean;
  isExcluded: AddressRules;
  isDropped: ParameterRules;
}

const MOST_KEPT = 10_000;

/** The websites that events come in for, as they stood at one version of all websites. */
@Injectable()
export class TrackedWebsites {
  private readonly byDomain = new Map<string, TrackedWebsite>();
  version = -1;

  constructor(private readonly websites: WebsitesRepository) {}

  known(domain: string): TrackedWebsite | undefined {
    return this.byDomain.get(domain);
  }

  /** Looks again, so that a website that was stored a moment ago is there, in whichever process. */
  async find(domain: string): Promise<TrackedWebsite | undefined> {
    for (;;) {
      const version = await this.lookAgain();
      const website = await this.websites.findByDomainUnscoped(domain);
      if (this.version === version) return this.keep(website);
    }
  }

  /** Whatever is kept is of an older version when the version moved on. */
  async lookAgain(): Promise<number> {
    const version = await this.websites.version();
    if (version !== this.version) this.byDomain.clear();
    this.version = version;
    return version;
  }

  private keep(website: Website | null): TrackedWebsite | undefined {
    if (!website) return undefined;
    if (this.byDomain.size >= MOST_KEPT) this.byDomain.clear();
    const tracked = asTracked(website, this.version);
    this.byDomain.set(tracked.domain, tracked);
    return tracked;
  }
}

function asTracked(website: Website, version: number): TrackedWebsite {
  return {
    version,
    id: website.id,
    domain: website.domain,
    excludesBots: website.excludeBots === 1,
    isExcluded: compileAddresses(website.excludeIps),
    isDropped: compileParameters(website.excludeParams),
  };
}
