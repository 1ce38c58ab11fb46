import { createHmac } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Problem } from '../common/problem';
import { Database } from '../database/database';
import { Secret } from '../database/secret';
import type { StoreWebsite } from './dto/store-website.dto';
import { Website } from './website.entity';

class IdempotencyKeyReused extends Problem {
  constructor() {
    super(
      422,
      'idempotency_key_reused',
      'This Idempotency-Key was sent with another request, or the website that it created has since been deleted.',
    );
  }
}

/** A request that its sender may repeat. */
export interface StoreRequest {
  userId: number;
  key: Buffer;
  /** Identifies the contents. It covers a password, so it is keyed with the secret against guessing. */
  request: Buffer;
}

/** The websites created by requests with an Idempotency-Key. */
@Injectable()
export class StoreRequests {
  private readonly secret: Buffer;

  constructor(
    private readonly database: Database,
    secret: Secret,
  ) {
    this.secret = secret.key('idempotency keys');
  }

  of(userId: number, key: string, input: StoreWebsite): StoreRequest {
    const fields = Object.entries(input).sort(([a], [b]) => (a < b ? -1 : 1));
    return { userId, key: this.hash(`key ${key}`), request: this.hash(`request ${JSON.stringify(fields)}`) };
  }

  /** The website that the request created before, if it did. */
  findMade(request: StoreRequest): Promise<Website | undefined> {
    return this.database.readQuick((manager) => findMadeBy(manager, request));
  }

  private hash(text: string): Buffer {
    return createHmac('sha256', this.secret).update(text).digest();
  }
}

export async function findMadeBy(
  manager: EntityManager,
  { userId, key, request }: StoreRequest,
): Promise<Website | undefined> {
  const [row] = await manager.query<{ request: Buffer; website_id: number }[]>(
    'SELECT request, website_id FROM store_requests WHERE user_id = ? AND idempotency_key = ?',
    [userId, key],
  );
  if (!row) return undefined;
  const website = await manager.findOneBy(Website, { userId, id: Number(row.website_id) });
  if (!website || !request.equals(row.request)) throw new IdempotencyKeyReused();
  return website;
}

/** Must run in the transaction that creates the website. */
export async function remember(
  manager: EntityManager,
  now: string,
  { userId, key, request }: StoreRequest,
  websiteId: number,
): Promise<void> {
  await manager.query(
    `INSERT INTO store_requests (user_id, idempotency_key, request, website_id, created_at) VALUES (?, ?, ?, ?, ${now})`,
    [userId, key, request, websiteId],
  );
}
