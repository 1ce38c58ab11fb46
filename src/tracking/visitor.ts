import { createHmac } from 'node:crypto';
import { BoundedCache } from '../common/bounded-cache';

const HASH_BYTES = 16;
const MOST_VISITORS = 20_000;

/** What was derived goes with its salt. */
const bySalt = new WeakMap<Buffer, BoundedCache<string>>();

/** Who a visitor is for as long as the salt is kept, as base64url; addresses come here in one form, without blanks. */
export function visitorHash(salt: Buffer, websiteId: number, address: string, userAgent: string): string {
  return cacheOf(salt).get(`${websiteId} ${address} ${userAgent}`, () =>
    hmac(salt, JSON.stringify([websiteId, address, userAgent])),
  );
}

function cacheOf(salt: Buffer): BoundedCache<string> {
  let cache = bySalt.get(salt);
  if (!cache) bySalt.set(salt, (cache = new BoundedCache(MOST_VISITORS)));
  return cache;
}

function hmac(salt: Buffer, visitor: string): string {
  return createHmac('sha256', salt).update(visitor).digest().subarray(0, HASH_BYTES).toString('base64url');
}
