import { Injectable } from '@nestjs/common';
import { type EntityManager, IsNull, type ObjectLiteral } from 'typeorm';
import { offsetOf } from '../common/page';
import { Database } from '../database/database';
import type { PageQuery } from '../validation/page-query';
import { ApiKey } from './api-key.entity';

export type NewKey = Pick<ApiKey, 'userId' | 'name' | 'prefix' | 'hash' | 'scope' | 'websites' | 'expiresAt'>;

@Injectable()
export class ApiKeysRepository {
  constructor(private readonly database: Database) {}

  /** Unscoped: this lookup determines the owner. */
  findUsableUnscoped(hash: string): Promise<ApiKey | null> {
    return this.findUsable('key.hash = :hash', { hash });
  }

  private findUsable(condition: string, parameters: ObjectLiteral): Promise<ApiKey | null> {
    const { now } = this.database.dialect;
    return this.database.readQuick((manager) =>
      manager
        .createQueryBuilder(ApiKey, 'key')
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
    return this.database.read((manager) => manager.find(ApiKey, { where: { userId }, order: { id: 'ASC' } }));
  }

  /** Those that were not revoked. */
  page(userId: number, query: PageQuery): Promise<[ApiKey[], number]> {
    return this.database.readQuick((manager) =>
      manager.findAndCount(ApiKey, {
        where: { userId, revokedAt: IsNull() },
        order: { id: query.sort === 'asc' ? 'ASC' : 'DESC' },
        skip: offsetOf(query),
        take: query.per_page,
      }),
    );
  }

  findOwn(userId: number, id: number): Promise<ApiKey | null> {
    return this.database.readQuick((manager) =>
      manager.findOneBy(ApiKey, { userId, id, revokedAt: IsNull() }),
    );
  }

  /** Makes others who change how many keys the user has wait for the end of this transaction. */
  async lockOwner(manager: EntityManager, userId: number): Promise<void> {
    await manager.query('UPDATE users SET email = email WHERE id = ?', [userId]);
  }

  count(manager: EntityManager, userId: number): Promise<number> {
    return manager.countBy(ApiKey, { userId, revokedAt: IsNull() });
  }

  findUnscoped(id: number): Promise<ApiKey | null> {
    return this.database.read((manager) => manager.findOneBy(ApiKey, { id }));
  }

  async insert(manager: EntityManager, key: NewKey): Promise<ApiKey> {
    const stored = { ...key, createdAt: new Date(), revokedAt: null, lastUsedAt: null };
    const { identifiers } = await manager.insert(ApiKey, stored);
    return { ...stored, id: Number(identifiers[0]!.id) };
  }

  /** False if the key was revoked already. */
  async revoke(manager: EntityManager, id: number): Promise<boolean> {
    const result = await manager.update(ApiKey, { id, revokedAt: IsNull() }, { revokedAt: new Date() });
    return result.affected === 1;
  }

  async touch(id: number): Promise<void> {
    await this.database.write((manager) => manager.update(ApiKey, { id }, { lastUsedAt: new Date() }));
  }
}
