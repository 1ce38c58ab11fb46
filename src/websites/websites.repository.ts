import { Injectable } from '@nestjs/common';
import { RESERVED_DAYS } from './retention';
import { InjectRepository } from '@nestjs/typeorm';
import { isDeepStrictEqual } from 'node:util';
import { type EntityManager, In, Not, type Repository, type SelectQueryBuilder } from 'typeorm';
import { DAY_MS } from '../../engine/ground/time/days';
import { type Caller, Gate } from '../../engine/ground/gate';
import { InvalidFields } from '../../engine/ground/errors';
import { offsetOf } from '../../engine/ground/rows';
import { shownDomain } from '../../engine/ground/shown-domain';
import { foldCase } from '../../engine/ground/text-search';
import { HitStore } from '../../engine/port';
import { EntityDatabase } from '../database/entity-database';
import { ReadMemory } from '../../engine/ground/memory/read-memory';
import { parentsOf, withoutWww } from './domain';
import type { ListWebsites } from './dto/list-websites.dto';
import { findMadeWebsite, remember, type StoreRequest } from './store-requests';
import { readChangesSince, raiseVersion, type WebsiteChanges, readWebsitesVersion } from './website-changes';
import { Privacy } from './privacy/privacy';
import { Website } from './website.entity';

export type NewWebsite = Omit<Website, 'id' | 'accessVersion' | 'createdAt' | 'updatedAt'>;

/** Why a domain cannot be registered. */
export type StoreRefusal = 'taken' | 'subdomain' | 'reserved';

/** The ids of the websites that a list is limited to; null for all of its owner. */
export type OnlyThese = readonly number[] | null;

interface Selection extends Pick<
  ListWebsites,
  'search' | 'favorite' | 'favorites_first' | 'sort_by' | 'sort'
> {
  /** Further websites with the searched text in their domain as people read it. */
  shown?: number[];
}
type PageOfIds = Pick<ListWebsites, 'page' | 'per_page'>;

/** Options of up to 256 kB each. */
const LISTS = ['excludeParams', 'excludeIps', 'allowedOrigins'] as const satisfies (keyof Website)[];
const SORT_COLUMNS = { id: 'website.id', domain: 'website.domain' } as const;
/** Decoding the domain of one takes up to 20 µs of the event loop. */
const MAX_INTERNATIONAL = 1000;
/** 0 for favorites, 1 for all others. */
const RANK = '(website.favoritedAt IS NULL)';
const PIECE = 5;
/** A website with the longest lists takes 700 kB, and a few pieces are in memory at once. */
const BYTES_OF_PIECES = 10 * 1024 * 1024;
/** Pages of this number of websites always fit. */
const SURE_ROWS = 10;
const MIB = 1024 * 1024;
const MAX_MIB_OF_PAGE = 8;
/** For concurrent reads of pieces. */
const LIMITS = { running: 2, runningOfOwner: 1, waiting: 32, waitingOfOwner: 16, patienceMs: 10_000 };

@Injectable()
export class WebsitesRepository {
  private readonly gate = new Gate(LIMITS);

  constructor(
    private readonly database: EntityDatabase,
    private readonly memory: ReadMemory,
    private readonly store: HitStore,
    @InjectRepository(Website) private readonly websites: Repository<Website>,
  ) {}

  list(ownerId: number, query: ListWebsites, only: OnlyThese): Promise<[Website[], number]> {
    return this.database.readQuick(async (manager) => {
      const websites = this.in(manager);
      const shown = await findShownWith(websites, ownerId, query.search);
      const page = selected(websites, ownerId, { ...query, shown }, only)
        .offset(offsetOf(query))
        .limit(query.per_page);
      if (query.per_page > SURE_ROWS) await expectToFit(page.clone());
      return page.getManyAndCount();
    });
  }

  /** Of a page of the list, in the order of their creation. Unlike the list, it always fits. */
  async listIds(ownerId: number, page: PageOfIds, only: OnlyThese): Promise<number[]> {
    const websites = await this.database.readQuick((manager) =>
      selected(this.in(manager), ownerId, { sort_by: 'id', sort: 'asc' }, only)
        .select('website.id')
        .offset(offsetOf(page))
        .limit(page.per_page)
        .getMany(),
    );
    return websites.map(({ id }) => id);
  }

  /** The whole list. Each piece is a separate read, so that a slow client does not hold a snapshot open. */
  async *pieces(
    ownerId: number,
    query: ListWebsites,
    caller: Caller,
    only: OnlyThese,
  ): AsyncGenerator<Website[]> {
    let shown: number[] | undefined;
    const pieceAfter = (last?: Website) => () =>
      this.database.read(async (manager) => {
        const websites = this.in(manager);
        shown ??= await findShownWith(websites, ownerId, query.search);
        return pieceBehind(last, websites, ownerId, { ...query, shown }, only);
      });
    const first = await this.gate.run(caller, pieceAfter());
    const next = (last: Website) => this.gate.continue(caller, pieceAfter(last));
    yield* this.memory.reserve(caller, BYTES_OF_PIECES).offer(piecesFrom(first, next));
  }

  find(ownerId: number, id: number): Promise<Website | null> {
    return this.database.readQuick((manager) => this.in(manager).findOneBy({ userId: ownerId, id }));
  }

  /** Why the owner cannot register a domain now, if so. */
  findRefusal(userId: number, domain: string): Promise<StoreRefusal | undefined> {
    return this.database.readQuick((manager) => this.readRefusal(manager, { userId, domain }));
  }

  /**
   * Checks before it inserts: a failed insert would use up an id on one database but not on the other. A request that
   * already created a website gets that one.
   */
  insert(website: NewWebsite, request?: StoreRequest): Promise<Website | StoreRefusal> {
    return this.withLock(async (manager) => {
      const made = request && (await findMadeWebsite(manager, request));
      if (made) return made;
      const refusal = await this.readRefusal(manager, website);
      if (refusal) return refusal;
      await raiseVersion(manager, website);
      await manager.query('DELETE FROM reserved_domains WHERE domain = ?', [website.domain]);
      const now = new Date();
      const stored = { ...website, accessVersion: 0, createdAt: now, updatedAt: now };
      const { identifiers } = await this.in(manager).insert(stored);
      const id = Number(identifiers[0]!.id);
      if (request) await remember(manager, this.database.dialect, request, id);
      return { ...stored, id };
    });
  }

  /** Updates a website, with a later `updatedAt` if anything changed. Null if the owner has no such website. */
  change(ownerId: number, id: number, changed: (website: Website) => Website): Promise<Website | null> {
    return this.withLock(async (manager) => {
      const website = await this.in(manager).findOneBy({ userId: ownerId, id });
      if (!website) return null;
      const wanted = changed(website);
      if (isDeepStrictEqual({ ...wanted }, { ...website })) return website;
      await raiseVersion(manager, website);
      const updatedAt = new Date(Math.max(Date.now(), website.updatedAt.getTime() + 1));
      const result = { ...wanted, accessVersion: accessVersionOf(wanted, website), updatedAt };
      if (website.privacy === Privacy.Private && wanted.privacy !== Privacy.Private)
        await this.store.divideDays(manager, id);
      await this.in(manager).update({ userId: ownerId, id }, result);
      return result;
    });
  }

  /** Changes a website, regardless of the owner. */
  async changeUnscoped(id: number, changed: (website: Website) => Website): Promise<Website | null> {
    const website = await this.findUnscoped(id);
    return website && this.change(website.userId, id, changed);
  }

  /** False if the owner has no such website. Its statistics are removed in the background. */
  delete(ownerId: number, id: number, check: (website: Website) => void): Promise<boolean> {
    return this.withLock(async (manager) => {
      const website = await this.in(manager).findOneBy({ userId: ownerId, id });
      if (!website) return false;
      check(website);
      await raiseVersion(manager, website);
      await this.in(manager).delete({ userId: ownerId, id });
      const { now } = this.database.dialect;
      await manager.query(`INSERT INTO deleted_websites (website_id, deleted_at) VALUES (?, ${now})`, [id]);
      await reserve(manager, now, website);
      return true;
    });
  }

  async findOwned(ownerId: number, ids: number[]): Promise<number[]> {
    const websites = await this.database.readQuick((manager) =>
      this.in(manager).find({ select: { id: true }, where: { userId: ownerId, id: In(ids) } }),
    );
    return websites.map(({ id }) => id);
  }

  /** The id of the owner's website with this domain. */
  async idOf(ownerId: number, domain: string): Promise<number | undefined> {
    const website = await this.findByDomainUnscoped(withoutWww(domain.trim().toLowerCase()));
    return website?.userId === ownerId ? website.id : undefined;
  }

  findUnscoped(id: number): Promise<Website | null> {
    return this.database.readQuick((manager) => this.in(manager).findOneBy({ id }));
  }

  /** Unscoped: the website that events for a domain belong to. */
  findByDomainUnscoped(domain: string): Promise<Website | null> {
    return this.database.readQuick((manager) => this.in(manager).findOneBy({ domain }));
  }

  /** Unscoped: a website whose statistics are shared. A private one is found only for its owner. */
  findSharedUnscoped(domain: string, ownerId?: number): Promise<Website | null> {
    const shared = { domain, privacy: Not(Privacy.Private) };
    const seen = ownerId === undefined ? shared : [shared, { domain, userId: ownerId }];
    return this.database.readQuick((manager) => this.in(manager).findOneBy(seen));
  }

  findRegisteredUnscoped(domains: string[]): Promise<string[]> {
    return this.database.readQuick(async (manager) => {
      const websites = await this.in(manager).find({
        select: { domain: true },
        where: { domain: In(domains) },
      });
      return websites.map(({ domain }) => domain);
    });
  }

  listUnscoped(): Promise<Website[]> {
    return this.database.read((manager) => this.in(manager).find({ order: { id: 'ASC' } }));
  }

  /** Raised by each change of any website. */
  version(): Promise<number> {
    return this.database.readQuick(readWebsitesVersion);
  }

  /** All changes since a version, by any user or process. */
  changesSince(earlier: number): Promise<WebsiteChanges> {
    return this.database.readQuick((manager) => readChangesSince(manager, earlier));
  }

  private async readRefusal(
    manager: EntityManager,
    { domain, userId }: Pick<Website, 'domain' | 'userId'>,
  ): Promise<StoreRefusal | undefined> {
    const websites = this.in(manager);
    if (await websites.existsBy({ domain })) return 'taken';
    if (await websites.existsBy({ domain: In(parentsOf(domain)), userId: Not(userId) })) return 'subdomain';
    const [reserved] = await manager.query<object[]>(
      `SELECT domain FROM reserved_domains WHERE domain = ? AND user_id <> ? AND reserved_until > ${this.database.dialect.now}`,
      [domain, userId],
    );
    return reserved && 'reserved';
  }

  /** Locks all websites against other changes, so that rules over several websites hold. */
  private withLock<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    return this.database.write(async (manager) => {
      await manager.query('UPDATE website_changes SET version = version WHERE id = 1');
      return work(manager);
    });
  }

  /** The injected repository would bypass Database's deadlines and its queue of writes. */
  private in(manager: EntityManager): Repository<Website> {
    return manager.withRepository(this.websites);
  }
}

function accessVersionOf(after: Website, before: Website): number {
  const isSame = after.privacy === before.privacy && after.passwordHash === before.passwordHash;
  return isSame ? before.accessVersion : before.accessVersion + 1;
}

/** Reserves a deleted domain for its owner: the website's pages may still send events. */
async function reserve(manager: EntityManager, now: string, { domain, userId }: Website): Promise<void> {
  await manager.query(
    `INSERT INTO reserved_domains (domain, user_id, reserved_until) VALUES (?, ?, ${now} + ?)`,
    [domain, userId, RESERVED_DAYS * DAY_MS],
  );
}

function selected(
  websites: Repository<Website>,
  ownerId: number,
  { search, shown = [], favorite, favorites_first, sort_by, sort }: Selection,
  only: OnlyThese,
): SelectQueryBuilder<Website> {
  const select = websites.createQueryBuilder('website').where('website.userId = :ownerId', { ownerId });
  if (only) select.andWhere('website.id IN (:...only)', { only });
  if (search !== undefined) {
    const isShown = shown.length > 0 ? ' OR website.id IN (:...shown)' : '';
    select.andWhere(`(INSTR(website.domain, :text) > 0${isShown})`, { text: foldCase(search), shown });
  }
  if (favorite !== undefined) select.andWhere(`website.favoritedAt IS ${favorite ? 'NOT NULL' : 'NULL'}`);
  if (favorites_first) select.orderBy(RANK, 'ASC');
  return select.addOrderBy(SORT_COLUMNS[sort_by], sort === 'asc' ? 'ASC' : 'DESC');
}

/** The websites with a text in their domain as people read it. It is stored in ASCII, which has no such part. */
async function findShownWith(
  websites: Repository<Website>,
  ownerId: number,
  search: string | undefined,
): Promise<number[]> {
  if (search === undefined) return [];
  const text = foldCase(search).normalize('NFC');
  const international = await websites
    .createQueryBuilder('website')
    .select(['website.id', 'website.domain'])
    .where("website.userId = :ownerId AND INSTR(website.domain, 'xn--') > 0", { ownerId })
    .orderBy('website.id', 'DESC')
    .limit(MAX_INTERNATIONAL)
    .getMany();
  return international.filter(({ domain }) => shownDomain(domain).includes(text)).map(({ id }) => id);
}

/** Refuses a page of websites with very long lists, before they are read. */
async function expectToFit(page: SelectQueryBuilder<Website>): Promise<void> {
  const lengths = LISTS.map((list) => `COALESCE(OCTET_LENGTH(website.${list}), 0)`);
  const rows = await page.select(lengths.join(' + '), 'bytes').getRawMany<{ bytes: number | string }>();
  const bytes = rows.reduce((sum, row) => sum + Number(row.bytes), 0);
  if (bytes > MAX_MIB_OF_PAGE * MIB)
    throw new InvalidFields({
      per_page: [
        `must be ${SURE_ROWS} here: the options of these websites have more than ${MAX_MIB_OF_PAGE} MiB`,
      ],
    });
}

async function* piecesFrom(
  first: Website[],
  next: (last: Website) => Promise<Website[]>,
): AsyncGenerator<Website[]> {
  let piece = first;
  while (piece.length === PIECE) {
    yield piece;
    piece = await next(piece.at(-1)!);
  }
  yield piece;
}

function pieceBehind(
  last: Website | undefined,
  websites: Repository<Website>,
  ownerId: number,
  query: Selection,
  only: OnlyThese,
): Promise<Website[]> {
  const select = selected(websites, ownerId, query, only).limit(PIECE);
  if (!last) return select.getMany();
  const behind = `${SORT_COLUMNS[query.sort_by]} ${query.sort === 'asc' ? '>' : '<'} :last`;
  const isNext = query.favorites_first ? `(${RANK} > :rank OR (${RANK} = :rank AND ${behind}))` : behind;
  return select
    .andWhere(isNext, { last: last[query.sort_by], rank: last.favoritedAt === null ? 1 : 0 })
    .getMany();
}
