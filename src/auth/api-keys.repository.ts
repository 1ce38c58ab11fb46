import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, IsNull, type ObjectLiteral, type Repository } from 'typeorm';
import { offsetOf } from '../../engine/ground/rows';
import { EntityDatabase } from '../database/entity-database';
import type { PageQuery } from '../validation/page-query';
import { ApiKey } from './api-key.entity';

type NewKey = Pick<ApiKey, 'userId' | 'name' | 'prefix' | 'hash' | 'scope' | 'websites' | 'expiresAt'>;

@Injectable()
export class ApiKeysRepository {
  constructor(
    private readonly database: EntityDatabase,
    @InjectRepository(ApiKey) private readonly keys: Repository<ApiKey>,
  ) {}

  /** Unscoped: this lookup determines the owner. */
  findUsableUnscoped(hash: string): Promise<ApiKey | null> {
    return this.findUsable('key.hash = :hash', { hash });
  }

  private findUsable(condition: string, parameters: ObjectLiteral): Promise<ApiKey | null> {
    const { now } = this.database.dialect;
    return this.database.readQuick((manager) =>
      this.in(manager)
        .createQueryBuilder('key')
        .where(condition, parameters)
        .andWhere('key.revokedAt IS NULL')
        .andWhere(`(key.expiresAt IS NULL OR key.expiresAt > ${now})`)
        .getOne(),
    );
  }

  /** Unscoped: the key of a session determines the owner. */
  findUsableByIdUnscoped(id: number): Promise<ApiKey | null> {
    return this.findUsable('key.id = :id', { id });
  }

  list(userId: number): Promise<ApiKey[]> {
    return this.database.read((manager) =>
      this.in(manager).find({ where: { userId }, order: { id: 'ASC' } }),
    );
  }

  /** Excludes revoked keys. */
  page(userId: number, query: PageQuery): Promise<[ApiKey[], number]> {
    return this.database.readQuick((manager) =>
      this.in(manager).findAndCount({
        where: { userId, revokedAt: IsNull() },
        order: { id: query.sort === 'asc' ? 'ASC' : 'DESC' },
        skip: offsetOf(query),
        take: query.per_page,
      }),
    );
  }

  findOwn(userId: number, id: number): Promise<ApiKey | null> {
    return this.database.readQuick((manager) =>
      this.in(manager).findOneBy({ userId, id, revokedAt: IsNull() }),
    );
  }

  /** Serialises changes to the number of the user's keys until this transaction ends. */
  async lockOwner(manager: EntityManager, userId: number): Promise<void> {
    await manager.query('UPDATE users SET email = email WHERE id = ?', [userId]);
  }

  count(manager: EntityManager, userId: number): Promise<number> {
    return this.in(manager).countBy({ userId, revokedAt: IsNull() });
  }

  findUnscoped(id: number): Promise<ApiKey | null> {
    return this.database.read((manager) => this.in(manager).findOneBy({ id }));
  }

  async insert(manager: EntityManager, key: NewKey): Promise<ApiKey> {
    const stored = { ...key, createdAt: new Date(), revokedAt: null, lastUsedAt: null };
    const { identifiers } = await this.in(manager).insert(stored);
    return { ...stored, id: Number(identifiers[0]!.id) };
  }

  /** False if the key was already revoked. */
  async revoke(manager: EntityManager, id: number): Promise<boolean> {
    const result = await this.in(manager).update({ id, revokedAt: IsNull() }, { revokedAt: new Date() });
    return result.affected === 1;
  }

  async touch(id: number): Promise<void> {
    await this.database.write((manager) => this.in(manager).update({ id }, { lastUsedAt: new Date() }));
  }

  /** The injected repository would bypass Database's deadlines and its queue of writes. */
  private in(manager: EntityManager): Repository<ApiKey> {
    return manager.withRepository(this.keys);
  }
}
