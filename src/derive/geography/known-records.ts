import { randomBytes } from 'node:crypto';

const SETS = 2 ** 15;
/** With one entry in each set, many of the addresses in use would replace one another. */
const ENTRIES_OF_SET = 4;
const NONE = 0;

/**
 * Caches the records of recently used addresses: most events come from returning visitors. It holds hashes under a
 * random key, never an address. Two addresses share a hash with a probability of 2^-49.
 */
export class KnownRecords {
  private readonly tags = new Uint32Array(SETS * ENTRIES_OF_SET);
  /** The record's offset + 1. */
  private readonly records = new Uint32Array(SETS * ENTRIES_OF_SET);
  private replaced = 0;
  private readonly key = randomBytes(8);
  private readonly setKey = this.key.readUInt32LE(0);
  private readonly tagKey = this.key.readUInt32LE(4);

  getOrFind(address: number[], find: () => number | undefined): number | undefined {
    let setHash = this.setKey;
    let tag = this.tagKey;
    for (const octet of address) {
      setHash = Math.imul(setHash ^ octet, 0x85ebca6b);
      setHash ^= setHash >>> 15;
      tag = Math.imul(tag ^ octet, 0xc2b2ae35);
      tag ^= tag >>> 13;
    }
    tag >>>= 0;
    const begin = ((setHash >>> 0) % SETS) * ENTRIES_OF_SET;
    for (let entry = begin; entry < begin + ENTRIES_OF_SET; entry++)
      if (this.tags[entry] === tag && this.records[entry] !== NONE) return this.records[entry]! - 1;
    const record = find();
    if (record === undefined) return undefined;
    const entry = this.entryFor(begin);
    this.tags[entry] = tag;
    this.records[entry] = record + 1;
    return record;
  }

  /** A free entry of a set, or one to replace. */
  private entryFor(begin: number): number {
    for (let entry = begin; entry < begin + ENTRIES_OF_SET; entry++)
      if (this.records[entry] === NONE) return entry;
    this.replaced = (this.replaced + 1) % ENTRIES_OF_SET;
    return begin + this.replaced;
  }
}
