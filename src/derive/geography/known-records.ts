import { randomBytes } from 'node:crypto';

const SLOTS = 2 ** 17;
const NONE = 0;

/**
 * Caches the records of recently used addresses: most events come from returning visitors. It holds hashes under a
 * random key, never an address. Two addresses share a hash with a probability of 2^-49.
 */
export class KnownRecords {
  private readonly tags = new Uint32Array(SLOTS);
  /** The record's offset + 1. */
  private readonly records = new Uint32Array(SLOTS);
  private readonly key = randomBytes(8);
  private readonly slotKey = this.key.readUInt32LE(0);
  private readonly tagKey = this.key.readUInt32LE(4);

  getOrFind(address: number[], find: () => number | undefined): number | undefined {
    let slotHash = this.slotKey;
    let tag = this.tagKey;
    for (const octet of address) {
      slotHash = Math.imul(slotHash ^ octet, 0x85ebca6b);
      slotHash ^= slotHash >>> 15;
      tag = Math.imul(tag ^ octet, 0xc2b2ae35);
      tag ^= tag >>> 13;
    }
    const slot = (slotHash >>> 0) % SLOTS;
    tag >>>= 0;
    if (this.tags[slot] === tag && this.records[slot] !== NONE) return this.records[slot]! - 1;
    const record = find();
    this.tags[slot] = tag;
    this.records[slot] = record === undefined ? NONE : record + 1;
    return record;
  }
}
