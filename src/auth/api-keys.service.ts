import { createHash, randomBytes } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { ByteCache } from '../../engine/ground/memory/byte-cache';
import type { Rows } from '../../engine/ground/rows';
import { API_KEY_PATTERN } from '../config/settings';
import { EntityDatabase } from '../database/entity-database';
import { reasonOf } from '../../engine/database/errors';
import type { PageQuery } from '../validation/page-query';
import type { ApiKey, Scope } from './api-key.entity';
import { ApiKeysRepository } from './api-keys.repository';

const PREFIX_LENGTH = 8;
const LAST_USE_PRECISION_MS = 60_000;
const MAX_REMEMBERED = 10_000;
const BYTES_PER_USER = 8;

interface NewKeyOptions {
  name: string;
  scope: Scope;
  /** The ids of the websites that the key is limited to. */
  websites?: number[] | null;
  expiresAt: Date | null;
}

interface NewKey {
  key: ApiKey;
  /** Cannot be read again. */
  secret: string;
}

@Injectable()
export class ApiKeysService {
  private readonly logger = new Logger('ApiKeys');
  private readonly lastStored = new Map<number, number>();
  /** The users of the most recently used keys, by the hash of the key. */
  private readonly usable = new ByteCache<number>('usableKeys', () => BYTES_PER_USER);

  constructor(
    private readonly keys: ApiKeysRepository,
    private readonly database: EntityDatabase,
  ) {}

  /** The key for this secret, if it is usable. Always read from the database, so that a revoked key stops at once. */
  async recognise(secret: string): Promise<ApiKey | null> {
    if (!API_KEY_PATTERN.test(secret)) return null;
    const hash = hashOf(secret);
    const key = await this.keys.findUsableUnscoped(hash);
    if (key) {
      this.usable.set(hash, key.userId);
      this.keepLastUse(key);
    } else {
      this.usable.delete(hash);
    }
    return key;
  }

  async findUsable(id: number): Promise<ApiKey | null> {
    const key = await this.keys.findUsableByIdUnscoped(id);
    if (key) this.keepLastUse(key);
    return key;
  }

  /** The user of the key when it was last used. Undefined if this process does not remember it. */
  lastUserOf(secret: string): number | undefined {
    return this.usable.get(hashOf(secret));
  }

  /** Creates a key and returns its secret, which cannot be read again. */
  async create(userId: number, wish: NewKeyOptions): Promise<string> {
    const { secret } = await this.database.write((manager) => this.createIn(manager, userId, wish));
    return secret;
  }

  /** Undefined if the user has reached the maximum number of keys. */
  createAtMost(maxKeys: number, userId: number, wish: NewKeyOptions): Promise<NewKey | undefined> {
    return this.database.write(async (manager) => {
      await this.keys.lockOwner(manager, userId);
      if ((await this.keys.count(manager, userId)) >= maxKeys) return undefined;
      return this.createIn(manager, userId, wish);
    });
  }

  async createIn(
    manager: EntityManager,
    userId: number,
    wish: NewKeyOptions,
    secret = newSecret(),
  ): Promise<NewKey> {
    const prefix = secret.slice(0, PREFIX_LENGTH);
    const hash = hashOf(secret);
    const key = await this.keys.insert(manager, { websites: null, ...wish, userId, prefix, hash });
    return { key, secret };
  }

  async page(userId: number, query: PageQuery): Promise<Rows<ApiKey>> {
    const [rows, total] = await this.keys.page(userId, query);
    return { rows, total };
  }

  findOwn(userId: number, id: number): Promise<ApiKey | null> {
    return this.keys.findOwn(userId, id);
  }

  list(userId: number): Promise<ApiKey[]> {
    return this.keys.list(userId);
  }

  find(id: number): Promise<ApiKey | null> {
    return this.keys.findUnscoped(id);
  }

  revoke(id: number): Promise<boolean> {
    return this.database.write((manager) => this.keys.revoke(manager, id));
  }

  /** Replaces a key by a new one with the same rights. Undefined if it was already revoked. */
  rotate({ id, userId, name, scope, websites }: ApiKey, expiresAt: Date | null): Promise<string | undefined> {
    return this.database.write(async (manager) => {
      if (!(await this.keys.revoke(manager, id))) return undefined;
      const { secret } = await this.createIn(manager, userId, { name, scope, websites, expiresAt });
      return secret;
    });
  }

  /** Runs in the background; errors are only logged. */
  private keepLastUse({ id, lastUsedAt }: ApiKey): void {
    const last = Math.max(lastUsedAt?.getTime() ?? 0, this.lastStored.get(id) ?? 0);
    if (Date.now() - last < LAST_USE_PRECISION_MS) return;
    if (this.lastStored.size >= MAX_REMEMBERED) this.lastStored.clear();
    this.lastStored.set(id, Date.now());
    this.keys
      .touch(id)
      .catch((error: unknown) =>
        this.logger.warn(`the last use of a key was not stored: ${reasonOf(error)}`),
      );
  }
}

export function newSecret(): string {
  return `mp_${randomBytes(24).toString('base64url')}`;
}

function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}
