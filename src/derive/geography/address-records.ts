import type { PagedFile } from '../../common/paged-file';

/** Type numbers of the format; for other types only the length matters. */
const POINTER = 1;
const TEXT = 2;
const UINT16 = 5;
const UINT32 = 6;
const MAP = 7;
const ARRAY = 11;
const BOOLEAN = 14;
const EXTENDED = 0;

const METADATA_MARKER = Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1');
/** The metadata start within this many bytes of the end of the file. */
const METADATA_WITHIN = 128 * 1024;
const SEPARATOR_BYTES = 16;
const IPV4_BITS_IN_IPV6 = 96;
const MAX_DEPTH = 16;
/** The bits of an IPv4 address whose nodes are found once: half of a search. */
const SHORTCUT_BITS = 16;
const NO_NODE = 0;

type Value = string | number | Value[] | { [key: string]: Value } | null;

/**
 * The records of a file in MaxMind's format, by address: https://maxmind.github.io/MaxMind-DB/
 * Libraries for the format hold the whole file in memory, here 134 MB.
 */
export class AddressRecords {
  readonly ipVersion: number;
  private readonly nodes: number;
  private readonly nodeBytes: number;
  private readonly recordsStart: number;
  private readonly ipv4Root: number;
  private readonly ipv4Nodes = new Uint32Array(2 ** SHORTCUT_BITS).fill(NO_NODE);

  constructor(private readonly file: PagedFile) {
    const metadata = this.metadata();
    this.ipVersion = Number(metadata.ip_version);
    this.nodes = Number(metadata.node_count);
    this.nodeBytes = Number(metadata.record_size) / 4;
    this.recordsStart = this.nodes * this.nodeBytes + SEPARATOR_BYTES;
    const isKnown = [4, 6].includes(this.ipVersion) && [6, 7, 8].includes(this.nodeBytes) && this.nodes > 0;
    if (!isKnown || this.recordsStart > file.size) throw notInFormat();
    this.ipv4Root = this.ipVersion === 6 ? this.walk(0, new Array<number>(IPV4_BITS_IN_IPV6 / 8).fill(0)) : 0;
  }

  /** The offset of an address's record in the file. Undefined if it has none. */
  find(address: number[]): number | undefined {
    const node = address.length === 4 ? this.findIpv4(address) : this.walk(0, address);
    return node > this.nodes ? this.recordsStart + node - this.nodes - SEPARATOR_BYTES : undefined;
  }

  record(offset: number): object {
    const [record] = this.value(offset, this.recordsStart);
    if (typeof record !== 'object' || record === null) throw notInFormat();
    return record;
  }

  private findIpv4(address: number[]): number {
    const shortcut = address[0]! * 256 + address[1]!;
    if (this.ipv4Nodes[shortcut] === NO_NODE)
      this.ipv4Nodes[shortcut] = this.walk(this.ipv4Root, address.slice(0, SHORTCUT_BITS / 8));
    return this.walk(this.ipv4Nodes[shortcut]!, address, SHORTCUT_BITS);
  }

  /** The node that the address's bits lead to, or a number beyond all nodes, which denotes a record. */
  private walk(root: number, address: number[], fromBit = 0): number {
    let node = root;
    for (let bit = fromBit; bit < address.length * 8 && node < this.nodes; bit++)
      node = this.child(node, (address[bit >> 3]! >> (7 - (bit & 7))) & 1);
    return node;
  }

  private child(node: number, side: number): number {
    const offset = node * this.nodeBytes;
    if (this.nodeBytes === 6) return this.file.unsigned(offset + side * 3, 3);
    if (this.nodeBytes === 8) return this.file.unsigned(offset + side * 4, 4);
    const shared = this.file.byte(offset + 3);
    const highest = side === 0 ? shared >> 4 : shared & 15;
    return highest * 2 ** 24 + this.file.unsigned(offset + side * 4, 3);
  }

  private metadata(): Record<string, Value> {
    const start = Math.max(0, this.file.size - METADATA_WITHIN);
    const marker = this.file.copy(start, METADATA_WITHIN).lastIndexOf(METADATA_MARKER);
    if (marker < 0) throw notInFormat();
    const offset = start + marker + METADATA_MARKER.length;
    return this.value(offset, offset)[0] as Record<string, Value>;
  }

  /** A value, and the offset of the next one. Pointers count from the start of their section. */
  private value(offset: number, section: number, depth = 0): [value: Value, next: number] {
    if (depth > MAX_DEPTH) throw notInFormat();
    const control = this.file.byte(offset);
    const isExtended = control >> 5 === EXTENDED;
    const type = isExtended ? 7 + this.file.byte(offset + 1) : control >> 5;
    if (type === POINTER) {
      const [target, next] = this.pointer(control, offset + 1);
      return [this.value(section + target, section, depth + 1)[0], next];
    }
    const [size, start] = this.size(control, offset + (isExtended ? 2 : 1));
    if (type === MAP) return this.map(size, start, section, depth);
    if (type === ARRAY) return this.array(size, start, section, depth);
    if (type === BOOLEAN) return [null, start];
    if (type === TEXT) return [this.file.copy(start, size).toString('utf8'), start + size];
    if (type === UINT16 || type === UINT32) return [this.file.unsigned(start, size), start + size];
    return [null, start + size];
  }

  private map(size: number, start: number, section: number, depth: number): [Value, number] {
    const map: Record<string, Value> = {};
    let next = start;
    for (let i = 0; i < size; i++) {
      const [key, afterKey] = this.value(next, section, depth + 1);
      [map[key as string], next] = this.value(afterKey, section, depth + 1);
    }
    return [map, next];
  }

  private array(size: number, start: number, section: number, depth: number): [Value, number] {
    const array: Value[] = [];
    let next = start;
    for (let i = 0; i < size; i++) [array[i], next] = this.value(next, section, depth + 1);
    return [array, next];
  }

  private pointer(control: number, start: number): [target: number, next: number] {
    const bytes = ((control >> 3) & 3) + 1;
    const low = this.file.unsigned(start, bytes);
    const base = [0, 2048, 526_336, 0][bytes - 1]!;
    const high = bytes === 4 ? 0 : (control & 7) * 256 ** bytes;
    return [base + high + low, start + bytes];
  }

  private size(control: number, start: number): [size: number, next: number] {
    const size = control & 31;
    if (size < 29) return [size, start];
    const bytes = size - 28;
    return [[29, 285, 65_821][bytes - 1]! + this.file.unsigned(start, bytes), start + bytes];
  }
}

function notInFormat(): Error {
  return new Error("is not an address database in MaxMind's format");
}
