import { createHmac, hash } from 'node:crypto';
import { VISITOR_BYTES } from '../common/visitor-bytes';

const BLOCK_BYTES = 64;
const DIGEST_BYTES = 32;
const MAX_FAST_LENGTH = 2048;
const MAX_UTF8_BYTES_PER_CHARACTER = 3;

/** What HMAC-SHA-256 hashes: the key, padded, before the message, and the key, padded otherwise, before that digest. */
interface Blocks {
  inner: Buffer;
  outer: Buffer;
}

const blocksBySalt = new WeakMap<Buffer, Blocks>();

/** The identity of a visitor as long as the salt is kept: the beginning of an HMAC, as base64url. */
export function visitorHash(salt: Buffer, websiteId: number, address: string, userAgent: string): string {
  const message = JSON.stringify([websiteId, address, userAgent]);
  const digest = message.length > MAX_FAST_LENGTH ? hmac(salt, message) : fastHmac(blocksOf(salt), message);
  return digest.toString('base64url', 0, VISITOR_BYTES);
}

/** Two one-shot hashes take a third of the time that `createHmac` takes. The message does not stay in memory. */
function fastHmac({ inner, outer }: Blocks, message: string): Buffer {
  const length = BLOCK_BYTES + inner.write(message, BLOCK_BYTES);
  outer.write(hash('sha256', inner.subarray(0, length), 'hex'), BLOCK_BYTES, 'hex');
  inner.fill(0, BLOCK_BYTES, length);
  return Buffer.from(hash('sha256', outer, 'hex'), 'hex');
}

function hmac(salt: Buffer, message: string): Buffer {
  return createHmac('sha256', salt).update(message).digest();
}

function blocksOf(salt: Buffer): Blocks {
  let blocks = blocksBySalt.get(salt);
  if (!blocks) {
    const messageBytes = MAX_FAST_LENGTH * MAX_UTF8_BYTES_PER_CHARACTER;
    blocks = { inner: blockOf(salt, 0x36, messageBytes), outer: blockOf(salt, 0x5c, DIGEST_BYTES) };
    blocksBySalt.set(salt, blocks);
  }
  return blocks;
}

/** The salt is not longer than a block, so it is the key as it is. */
function blockOf(salt: Buffer, pad: number, roomBehind: number): Buffer {
  const block = Buffer.alloc(BLOCK_BYTES + roomBehind);
  for (let index = 0; index < BLOCK_BYTES; index++) block[index] = (salt[index] ?? 0) ^ pad;
  return block;
}
