import { createHmac } from 'node:crypto';

const HASH_BYTES = 16;

/** Who a visitor is for as long as the salt is kept. JSON keeps the fields apart whatever they hold. */
export function visitorHash(salt: Buffer, websiteId: number, address: string, userAgent: string): Buffer {
  const visitor = JSON.stringify([websiteId, address, userAgent]);
  return createHmac('sha256', salt).update(visitor).digest().subarray(0, HASH_BYTES);
}
