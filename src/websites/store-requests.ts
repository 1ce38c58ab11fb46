import { createHmac } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Problem } from '../../engine/ground/errors';
import type { Dialect } from '../../engine/database/dialect';
import { EntityDatabase } from '../database/entity-database';
import { Secret } from '../database/secret';
import { Website } from './website.entity';

class IdempotencyKeyReused extends Problem {
  constructor(made: string) {
    super(
      'idempotency_key_reused',
      `This Idempotency-Key was sent with another request, or the ${made} that it created has since been deleted.`,
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

/** What was created by requests with an Idempotency-Key: websites, or resources of one. */
@Injectable()
export class StoreRequests {
  private readonly secret: Buffer;

  constructor(
    private readonly database: EntityDatabase,
    secret: Secret,
  ) {
    this.secret = secret.key('idempotency keys');
  }

  /** `of` tells requests for different lists apart. */
  of(userId: number, key: string, input: object, of = ''): StoreRequest {
    const fields = Object.entries(input).sort(([a], [b]) => (a < b ? -1 : 1));
    const request = this.hash(`request ${of}${JSON.stringify(fields)}`);
    return { userId, key: this.hash(`key ${key}`), request };
  }

  /** The website that the request created before, if it did. */
  findMade(request: StoreRequest): Promise<Website | undefined> {
    return this.database.readQuick((manager) => findMadeWebsite(manager, request));
  }

  private hash(text: string): Buffer {
    return createHmac('sha256', this.secret).update(text).digest();
  }
}

export function findMadeWebsite(manager: EntityManager, request: StoreRequest): Promise<Website | undefined> {
  const { userId } = request;
  return findMadeBy(manager, request, 'website', (id) => manager.findOneBy(Website, { userId, id }));
}

/** The column is called `website_id`, and holds the id of whatever was made. */
export async function findMadeBy<T>(
  manager: EntityManager,
  { userId, key, request }: StoreRequest,
  made: string,
  find: (id: number) => Promise<T | null>,
): Promise<T | undefined> {
  const [row] = await manager.query<{ request: Buffer; website_id: number }[]>(
    'SELECT request, website_id FROM store_requests WHERE user_id = ? AND idempotency_key = ?',
    [userId, key],
  );
  if (!row) return undefined;
  const found = request.equals(row.request) ? await find(Number(row.website_id)) : null;
  if (!found) throw new IdempotencyKeyReused(made);
  return found;
}

/** Must run in the transaction that creates it. */
export async function remember(
  manager: EntityManager,
  dialect: Dialect,
  { userId, key, request }: StoreRequest,
  id: number,
): Promise<void> {
  const sql = `INSERT INTO store_requests (user_id, idempotency_key, request, website_id, created_at)
    VALUES (?, ?, ?, ?, ${dialect.now})`;
  await manager.query(sql, [userId, key, request, id]).catch((error: unknown) => {
    // Requests for one list wait for each other before this. One for another list was faster.
    throw dialect.meaningOf(error) === 'duplicate' ? new IdempotencyKeyReused('resource') : error;
  });
}
