import { createHash, randomBytes } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { API_KEY_PATTERN } from '../config/settings';
import { Database } from '../database/database';
import type { ApiKey, Scope } from './api-key.entity';
import { ApiKeysRepository } from './api-keys.repository';

const PREFIX_LENGTH = 8;
const LAST_USE_PRECISION_MS = 60_000;
const MOST_REMEMBERED = 10_000;

export interface KeyWish {
  name: string;
  scope: Scope;
  expiresAt: Date | null;
}

@Injectable()
export class ApiKeysService {
  private readonly logger = new Logger('ApiKeys');
  private readonly lastKept = new Map<number, number>();

  constructor(
    private readonly keys: ApiKeysRepository,
    private readonly database: Database,
  ) {}

  /** The key that was sent, if it may be used now. It is asked for each time, so that a revoked one stops at once. */
  async recognise(secret: string): Promise<ApiKey | null> {
    if (!API_KEY_PATTERN.test(secret)) return null;
    const key = await this.keys.findUsableUnscoped(hashOf(secret));
    if (key) this.keepLastUse(key);
    return key;
  }

  /** Makes a key and returns it: nobody can read it again. */
  create(userId: number, wish: KeyWish): Promise<string> {
    return this.database.write((manager) => this.createIn(manager, userId, wish));
  }

  async createIn(
    manager: EntityManager,
    userId: number,
    wish: KeyWish,
    secret = `mp_${randomBytes(24).toString('base64url')}`,
  ): Promise<string> {
    const prefix = secret.slice(0, PREFIX_LENGTH);
    await this.keys.insert(manager, { ...wish, userId, prefix, hash: hashOf(secret) });
    return secret;
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

  /** Replaces a key by a new one with the same rights; undefined where it was revoked already. */
  rotate({ id, userId, name, scope }: ApiKey, expiresAt: Date | null): Promise<string | undefined> {
    return this.database.write(async (manager) => {
      if (!(await this.keys.revoke(manager, id))) return undefined;
      return this.createIn(manager, userId, { name, scope, expiresAt });
    });
  }

  /** In the background: nobody has to wait for it, nor fail by it. */
  private keepLastUse({ id, lastUsedAt }: ApiKey): void {
    const last = Math.max(lastUsedAt?.getTime() ?? 0, this.lastKept.get(id) ?? 0);
    if (Date.now() - last < LAST_USE_PRECISION_MS) return;
    if (this.lastKept.size >= MOST_REMEMBERED) this.lastKept.clear();
    this.lastKept.set(id, Date.now());
    this.keys
      .touch(id)
      .catch((error: Error) => this.logger.warn(`the last use of a key was not kept: ${error.name}`));
  }
}

function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}
