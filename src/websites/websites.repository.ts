import { Injectable } from '@nestjs/common';
import { type EntityManager, In, type SelectQueryBuilder } from 'typeorm';
import { offsetOf } from '../common/pagination';
import { Database } from '../database/database';
import type { ListWebsites } from './dto/list-websites.dto';
import { Website } from './website.entity';

export type NewWebsite = Omit<Website, 'id' | 'createdAt' | 'updatedAt'>;

const SORT_COLUMNS = { id: 'website.id', domain: 'website.domain' } as const;
/** A website with all the exclusions it may have takes 300 kB, and a few pieces are in memory at once. */
const PIECE = 20;

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
    return this.database.look((manager) =>
      selected(manager, ownerId, query).offset(offsetOf(query)).limit(query.per_page).getManyAndCount(),
    );
  }

  /** The whole list. Each piece is a read of its own, so that whoever takes it slowly keeps no snapshot open. */
  async *pieces(ownerId: number, query: ListWebsites): AsyncGenerator<Website[]> {
    let piece: Website[] = [];
    do {
      piece = await this.pieceAfter(piece.at(-1), ownerId, query);
      yield piece;
    } while (piece.length === PIECE);
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

  registeredUnscoped(domains: string[]): Promise<string[]> {
    return this.database.look(async (manager) => {
      const websites = await manager.find(Website, {
        select: { domain: true },
        where: { domain: In(domains) },
      });
      return websites.map(({ domain }) => domain);
    });
  }

  listUnscoped(): Promise<Website[]> {
    return this.database.read((manager) => manager.find(Website, { order: { id: 'ASC' } }));
  }

  /** How often any website was changed. */
  version(): Promise<number> {
    return this.database.look(websitesVersion);
  }

  private pieceAfter(last: Website | undefined, ownerId: number, query: ListWebsites): Promise<Website[]> {
    return this.database.read((manager) => {
      const select = selected(manager, ownerId, query).limit(PIECE);
      const direction = query.sort === 'asc' ? '>' : '<';
      if (last)
        select.andWhere(`${SORT_COLUMNS[query.sort_by]} ${direction} :last`, { last: last[query.sort_by] });
      return select.getMany();
    });
  }

  /** Every change raises one counter first: others see that something changed, and changes wait for each other. */
  private changing<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    return this.database.write(async (manager) => {
      await manager.query('UPDATE website_changes SET version = version + 1 WHERE id = 1');
      return work(manager);
    });
  }
}

function selected(
  manager: EntityManager,
  ownerId: number,
  { search, favorite, sort_by, sort }: ListWebsites,
): SelectQueryBuilder<Website> {
  const select = manager
    .createQueryBuilder(Website, 'website')
    .where('website.userId = :ownerId', { ownerId });
  if (search !== undefined) select.andWhere('INSTR(website.domain, :search) > 0', { search });
  if (favorite !== undefined) select.andWhere(`website.favoritedAt IS ${favorite ? 'NOT NULL' : 'NULL'}`);
  return select.orderBy(SORT_COLUMNS[sort_by], sort === 'asc' ? 'ASC' : 'DESC');
}
