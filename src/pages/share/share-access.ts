import { Injectable } from '@nestjs/common';
import type { ApiKey } from '../../auth/api-key.entity';
import { Problem } from '../../../engine/ground/errors';
import { NotFound } from '../../common/problems';
import { Limits } from '../../limits/limits';
import type { RateLimitResult } from '../../limits/rate-limit';
import { owner, type Viewer } from '../../stats/viewers/viewer';
import { normaliseDomain } from '../../websites/domain';
import { isPassword } from '../../websites/privacy/password';
import { Privacy } from '../../websites/privacy/privacy';
import type { Website } from '../../websites/website.entity';
import { WebsitesRepository } from '../../websites/websites.repository';
import { ShareCookies } from './share-cookies';
import { ViewersGate } from './viewers-gate';

export class PasswordRequired extends Problem {
  constructor() {
    super('password_required', 'The statistics of this website need its password.');
  }
}

/** The sender of a request to a shared page. */
interface Visitor {
  address: string;
  signal: AbortSignal;
}

export interface PasswordAttempt {
  /** The cookie that lets the viewer in. Undefined if the password is wrong. */
  cookie: string | undefined;
  rateLimit: RateLimitResult;
}

/** Decides who may see the statistics of a website without a key. */
@Injectable()
export class ShareAccess {
  constructor(
    private readonly websites: WebsitesRepository,
    private readonly cookies: ShareCookies,
    private readonly limits: Limits,
    private readonly gate: ViewersGate,
  ) {}

  /**
   * A private website of another user is handled like a missing one, so that neither the answer nor its time reveals
   * it.
   */
  async website(sentDomain: string, key?: ApiKey): Promise<Website> {
    const domain = domainIn(sentDomain);
    const found = domain === undefined ? null : await this.websites.findSharedUnscoped(domain, key?.userId);
    const website = found?.privacy === Privacy.Private && !isOwners(found, key) ? null : found;
    if (!website) throw new NotFound('Website');
    return website;
  }

  /** Undefined if the password is still needed. */
  viewerOf(website: Website, cookies: string | undefined, key?: ApiKey): Viewer | undefined {
    const { privacy, accessVersion } = website;
    if (isOwners(website, key)) return owner(website.userId);
    const mayFilter = website.shareFilters === 1;
    if (privacy === Privacy.Public) return { as: 'public', mayFilter };
    return this.cookies.isIn(cookies, website) ? { as: 'password', accessVersion, mayFilter } : undefined;
  }

  /** Checks a password, unless too many wrong ones came from the address for this website. */
  async enter(website: Website, password: string, { address, signal }: Visitor): Promise<PasswordAttempt> {
    const look = () =>
      this.gate.tryPassword(address, signal, async (caller) =>
        (await isPassword(caller, password, website.passwordHash!)) ? this.cookies.valueFor(website) : null,
      );
    const { key, rateLimit } = await this.limits.tryPassword(address, website.id, look);
    return { cookie: key ?? undefined, rateLimit };
  }
}

function isOwners({ id, userId }: Website, key: ApiKey | undefined): boolean {
  return key?.userId === userId && (key.websites === null || key.websites.includes(id));
}

function domainIn(text: string): string | undefined {
  try {
    return normaliseDomain(text);
  } catch {
    return undefined;
  }
}
