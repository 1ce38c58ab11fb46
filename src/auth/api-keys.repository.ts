import { Injectable } from '@nestjs/common';
import { type EntityManager, IsNull } from 'typeorm';
import { Database } from '../database/database';
import { ApiKey } from './api-key.entity';

export type NewKey = Pick<ApiKey, 'userId' | 'name' | 'prefix' | 'hash' | 'scope' | 'expiresAt'>;

@Injectable()
export class ApiKeysRepository {
  constructor(private readonly database: Database) {}

  /** The owner is what is looked for, so none is given. */
  findUsableUnscoped(hash: string): Promise<ApiKey | null> {
    const { now } = this.database.dialect;
    return this.database.look((manager) =>
      manager
        .createQueryBuilder(ApiKey, 'key')
        .where('key.hash = :hash', { hash })
        .andWhere('key.revokedAt IS NULL')
        .andWhere(`(key.expiresAt IS NULL OR key.expiresAt > ${now})`)
        .getOne(),
    );
  }

  list(userId: number): Promise<ApiKey[]> {
    return this.database.read((manager) => manager.find(ApiKey, { where: { userId }, order: { id: 'ASC' } }));
  }

  findUnscoped(id: number): Promise<ApiKey | null> {
    return this.database.read((manager) => manager.findOneBy(ApiKey, { id }));
  }

  async insert(manager: EntityManager, key: NewKey): Promise<void> {
    await manager.insert(ApiKey, { ...key, createdAt: new Date(), revokedAt: null, lastUsedAt: null });
  }

  /** False where it was revoked already. */
  async revoke(manager: EntityManager, id: number): Promise<boolean> {
    const result = await manager.update(ApiKey, { id, revokedAt: IsNull() }, { revokedAt: new Date() });
    return result.affected === 1;
  }

  async touch(id: number): Promise<void> {
    await this.database.write((manager) => manager.update(ApiKey, { id }, { lastUsedAt: new Date() }));
  }
}
