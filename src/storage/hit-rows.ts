import { decodeHits, encodeHits, FIELD_PLACES } from './hit';

const FIELDS = Object.keys(FIELD_PLACES).length;
const { day: LAST_NUMBER, visitor: VISITOR, properties: PROPERTIES } = FIELD_PLACES;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN = 0x5b;
const CLOSE = 0x5d;
const ZERO = 0x30;
const NINE = 0x39;
const FIRST_PRINTABLE = 0x20;
const [N, U, L] = [0x6e, 0x75, 0x6c];
const MAX_NUMBER = 2 ** 32 - 1;
/** Instead of the place behind something. */
const NOT_FOUND = -1;

/**
 * Encoded hits as rows of fields: where the bytes of each field begin and end. It takes a fraction of the time of objects
 * with texts, most of which are known already. What the encoder writes in no other way than this is found so; all else is
 * decoded as JSON, and encoded again.
 */
export class HitRows {
  bytes: Buffer = Buffer.alloc(0);
  /** The first byte of each text, or the number; zero of what is null. */
  private begins = new Uint32Array(0);
  private ends = new Uint32Array(0);

  /** So many hits instead of those before. */
  read(encoded: Buffer, size: number): void {
    if (this.find(encoded, size) || this.find(encodeHits(decodeHits(encoded)), size)) return;
    throw new Error(`These are not ${size} hits.`);
  }

  at(row: number): number {
    return this.begins[row * FIELDS + FIELD_PLACES.at]!;
  }

  isSet(row: number, place: number): boolean {
    return this.begin(row, place) !== 0;
  }

  /** Zero where the field is null. */
  begin(row: number, place: number): number {
    return this.begins[row * FIELDS + place]!;
  }

  end(row: number, place: number): number {
    return this.ends[row * FIELDS + place]!;
  }

  /** As the column of that field has it; the properties are JSON. */
  text(row: number, place: number): string | null {
    const [begin, end] = [this.begin(row, place), this.end(row, place)];
    if (begin === 0) return null;
    if (place === PROPERTIES) return JSON.stringify(JSON.parse(this.bytes.toString('utf8', begin, end)));
    return textIn(this.bytes, begin, end);
  }

  private find(bytes: Buffer, size: number): boolean {
    this.makeRoom(size);
    this.bytes = bytes;
    let place = after(bytes, 0, OPEN);
    for (let row = 0; row < size && place >= 0; row++) {
      if (row > 0) place = after(bytes, place, COMMA);
      place = this.findRow(row, after(bytes, place, OPEN));
    }
    return after(bytes, place, CLOSE) === bytes.length;
  }

  private makeRoom(size: number): void {
    const cells = size * FIELDS;
    if (this.begins.length < cells) {
      this.begins = new Uint32Array(cells);
      this.ends = new Uint32Array(cells);
    }
    this.begins.fill(0, 0, cells);
  }

  private findRow(row: number, begin: number): number {
    let place = begin;
    for (let field = 0; field < FIELDS && place >= 0; field++) {
      place = this.findField(row * FIELDS + field, field, place);
      if (this.bytes[place] === COMMA) place++;
      else return this.isSet(row, VISITOR) ? after(this.bytes, place, CLOSE) : NOT_FOUND;
    }
    return NOT_FOUND;
  }

  private findField(cell: number, field: number, begin: number): number {
    const { bytes } = this;
    if (field <= LAST_NUMBER) return this.findNumber(cell, begin);
    const isText = bytes[begin] === QUOTE && field !== PROPERTIES;
    if (!isText && !(bytes[begin] === OPEN && field === PROPERTIES)) return afterNull(bytes, begin);
    const end = isText ? afterText(bytes, begin) : afterList(bytes, begin);
    this.begins[cell] = isText ? begin + 1 : begin;
    this.ends[cell] = isText ? end - 1 : end;
    return end;
  }

  private findNumber(cell: number, begin: number): number {
    let place = begin;
    let number = 0;
    for (let digit; (digit = this.bytes[place]!) >= ZERO && digit <= NINE && number <= MAX_NUMBER; place++)
      number = 10 * number + digit - ZERO;
    const isWritten = place > begin && (this.bytes[begin] !== ZERO || place === begin + 1);
    if (!isWritten || number > MAX_NUMBER) return NOT_FOUND;
    this.begins[cell] = number;
    return place;
  }
}

function after(bytes: Buffer, place: number, byte: number): number {
  return place >= 0 && bytes[place] === byte ? place + 1 : NOT_FOUND;
}

function afterNull(bytes: Buffer, begin: number): number {
  const isNull =
    bytes[begin] === N && bytes[begin + 1] === U && bytes[begin + 2] === L && bytes[begin + 3] === L;
  return isNull ? begin + 4 : NOT_FOUND;
}

function afterText(bytes: Buffer, begin: number): number {
  let place = begin + 1;
  let isEscaped = false;
  for (let byte; (byte = bytes[place]) !== QUOTE; place++) {
    if (byte === undefined || byte < FIRST_PRINTABLE) return NOT_FOUND;
    if (byte !== BACKSLASH) continue;
    isEscaped = true;
    place++;
  }
  return isEscaped && !isJson(bytes, begin, place + 1) ? NOT_FOUND : place + 1;
}

function afterList(bytes: Buffer, begin: number): number {
  let depth = 0;
  for (let place = begin; place >= 0 && place < bytes.length;) {
    const byte = bytes[place];
    if (byte === OPEN) depth++;
    if (byte === CLOSE && --depth === 0) return isJson(bytes, begin, place + 1) ? place + 1 : NOT_FOUND;
    place = byte === QUOTE ? afterText(bytes, place) : place + 1;
  }
  return NOT_FOUND;
}

function isJson(bytes: Buffer, begin: number, end: number): boolean {
  try {
    JSON.parse(bytes.toString('utf8', begin, end));
    return true;
  } catch {
    return false;
  }
}

/** A text from what stands between its quotes. */
function textIn(bytes: Buffer, begin: number, end: number): string {
  for (let place = begin; place < end; place++)
    if (bytes[place]! > 0x7f || bytes[place] === BACKSLASH)
      return JSON.parse(bytes.toString('utf8', begin - 1, end + 1)) as string;
  return bytes.toString('latin1', begin, end);
}
