import { Injectable } from '@nestjs/common';
import { entityTagOf, type Precondition } from '../common/entity-tags';
import type { Listing } from '../common/listing';
import { Page } from '../common/pagination';
import { InvalidFields, NotFound, PreconditionFailed } from '../common/problem';
import type { ListWebsites } from './dto/list-websites.dto';
import type { StoreWebsite } from './dto/store-website.dto';
import type { UpdateWebsite } from './dto/update-website.dto';
import { DeletionView, WEBSITE_COLUMNS, WebsiteView } from './dto/website.view';
import { hashPassword } from './password';
import { Privacy, type Website } from './website.entity';
import { WebsitesRepository } from './websites.repository';

@Injectable()
export class WebsitesService {
  constructor(private readonly websites: WebsitesRepository) {}

  list(ownerId: number, query: ListWebsites): Listing<WebsiteView> {
    return {
      name: 'websites',
      columns: WEBSITE_COLUMNS,
      page: () => this.page(ownerId, query),
      pieces: () => this.pieces(ownerId, query),
    };
  }

  async show(ownerId: number, id: number): Promise<WebsiteView> {
    return WebsiteView.of(found(await this.websites.find(ownerId, id)));
  }

  /** Which of the domains are websites, whoever owns them. */
  async registered(domains: string[]): Promise<Set<string>> {
    return new Set(domains.length === 0 ? [] : await this.websites.registeredUnscoped(domains));
  }

  async store(ownerId: number, input: StoreWebsite): Promise<WebsiteView> {
    const website = withPassword({
      userId: ownerId,
      domain: input.domain,
      privacy: input.privacy,
      passwordHash: input.password ? await hashPassword(input.password) : null,
      email: input.email,
      excludeBots: input.exclude_bots,
      excludeParams: input.exclude_params ?? null,
      excludeIps: input.exclude_ips ?? null,
      favoritedAt: input.favorited_at ?? null,
    });
    const stored = await this.websites.insert(website);
    if (!stored)
      throw new InvalidFields({ domain: ['is registered already; each domain is registered once'] });
    return WebsiteView.of(stored);
  }

  async update(
    ownerId: number,
    id: number,
    input: UpdateWebsite,
    precondition: Precondition,
  ): Promise<WebsiteView> {
    const { password } = input;
    if (password) await this.show(ownerId, id);
    const passwordHash = password ? await hashPassword(password) : password;
    const changed = (website: Website) => {
      check(precondition, website);
      return withPassword({
        ...website,
        privacy: kept(input.privacy, website.privacy),
        passwordHash: kept(passwordHash, website.passwordHash),
        email: kept(input.email, website.email),
        excludeBots: kept(input.exclude_bots, website.excludeBots),
        excludeParams: kept(input.exclude_params, website.excludeParams),
        excludeIps: kept(input.exclude_ips, website.excludeIps),
        favoritedAt: kept(input.favorited_at, website.favoritedAt),
      });
    };
    return WebsiteView.of(found(await this.websites.change(ownerId, id, changed)));
  }

  async delete(ownerId: number, id: number, precondition: Precondition): Promise<DeletionView> {
    const deleted = await this.websites.delete(ownerId, id, (website) => check(precondition, website));
    if (!deleted) throw new NotFound('website');
    return { id, object: 'website', deleted: true };
  }

  private async page(ownerId: number, query: ListWebsites): Promise<Page<WebsiteView>> {
    const [websites, total] = await this.websites.list(ownerId, query);
    return new Page(websites.map(WebsiteView.of), total, query);
  }

  private async *pieces(ownerId: number, query: ListWebsites): AsyncGenerator<WebsiteView[]> {
    for await (const websites of this.websites.pieces(ownerId, query)) yield websites.map(WebsiteView.of);
  }
}

function kept<T>(sent: T | undefined, stored: T): T {
  return sent === undefined ? stored : sent;
}

function check(precondition: Precondition, website: Website): void {
  if (!precondition(entityTagOf(WebsiteView.of(website)))) throw new PreconditionFailed();
}

function found(website: Website | null): Website {
  if (!website) throw new NotFound('website');
  return website;
}

function withPassword<T extends Pick<Website, 'privacy' | 'passwordHash'>>(website: T): T {
  if (website.privacy === Privacy.Password && website.passwordHash === null)
    throw new InvalidFields({ password: ['is required while privacy is 2 (Password)'] });
  return website;
}
