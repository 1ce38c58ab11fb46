import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { offsetOf } from '../common/pagination';
import { Database } from '../database/database';
import type { ListWebsites } from './dto/list-websites.dto';
import { Website } from './website.entity';

export type NewWebsite = Omit<Website, 'id' | 'createdAt' | 'updatedAt'>;

const SORT_COLUMNS = { id: 'website.id', domain: 'website.domain' } as const;

/** In a transaction that depends on websites as they are. */
export async function websitesVersion(manager: EntityManager): Promise<number> {
  const [row] = await manager.query<{ version: number }[]>(
    'SELECT version FROM website_changes WHERE id = 1',
  );
  return Number(row!.version);
}

@Injectable()
export class WebsitesRepository {
  constructor(private readonly database: Database) {}

  list(ownerId: number, query: ListWebsites): Promise<[Website[], number]> {
    return this.database.read((manager) => {
      const select = manager
        .createQueryBuilder(Website, 'website')
        .where('website.userId = :ownerId', { ownerId });
      if (query.search !== undefined)
        select.andWhere('INSTR(website.domain, :search) > 0', { search: query.search });
      if (query.favorite !== undefined)
        select.andWhere(`website.favoritedAt IS ${query.favorite ? 'NOT NULL' : 'NULL'}`);
      return select
        .orderBy(SORT_COLUMNS[query.sort_by], query.sort === 'asc' ? 'ASC' : 'DESC')
        .offset(offsetOf(query))
        .limit(query.per_page)
        .getManyAndCount();
    });
  }

  find(ownerId: number, id: number): Promise<Website | null> {
    return this.database.look((manager) => manager.findOneBy(Website, { userId: ownerId, id }));
  }

  /** Null where the domain is taken; an insert that fails would use up an id on one database and not on the other. */
  insert(website: NewWebsite): Promise<Website | null> {
    return this.changing(async (manager) => {
      if (await manager.existsBy(Website, { domain: website.domain })) return null;
      const now = new Date();
      const stored = { ...website, createdAt: now, updatedAt: now };
      const { identifiers } = await manager.insert(Website, stored);
      return { ...stored, id: Number(identifiers[0]!.id) };
    });
  }

  /** Reads, changes and writes a website while nobody else does, each time with a later `updatedAt`; null where the owner has none of this id. */
  change(ownerId: number, id: number, changed: (website: Website) => Website): Promise<Website | null> {
    return this.changing(async (manager) => {
      const website = await manager.findOneBy(Website, { userId: ownerId, id });
      if (!website) return null;
      const updatedAt = new Date(Math.max(Date.now(), website.updatedAt.getTime() + 1));
      const result = { ...changed(website), updatedAt };
      await manager.update(Website, { userId: ownerId, id }, result);
      return result;
    });
  }

  /** False where the owner has no website of this id. What was counted is left to the background. */
  delete(ownerId: number, id: number, check: (website: Website) => void): Promise<boolean> {
    return this.changing(async (manager) => {
      const website = await manager.findOneBy(Website, { userId: ownerId, id });
      if (!website) return false;
      check(website);
      await manager.delete(Website, { userId: ownerId, id });
      await manager.query('INSERT INTO deleted_websites (website_id, deleted_at) VALUES (?, ?)', [
        id,
        Date.now(),
      ]);
      return true;
    });
  }

  /** The website that events for a domain belong to, whoever owns it. */
  findByDomainUnscoped(domain: string): Promise<Website | null> {
    return this.database.look((manager) => manager.findOneBy(Website, { domain }));
  }

  listUnscoped(): Promise<Website[]> {
    return this.database.read((manager) => manager.find(Website, { order: { id: 'ASC' } }));
  }

  /** How often any website was changed. */
  version(): Promise<number> {
    return this.database.look(websitesVersion);
  }

  /** Every change raises one counter first: others see that something changed, and changes wait for each other. */
  private changing<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    return this.database.write(async (manager) => {
      await manager.query('UPDATE website_changes SET version = version + 1 WHERE id = 1');
      return work(manager);
    });
  }
}
