import { isUtf8 } from 'node:buffer';
import { yieldIfNeeded } from '../../../engine/ground/time/yield-if-needed';
import { InvalidFields } from '../../../engine/ground/errors';
import { Malformed } from '../../common/problems';
import { parseJsonFields, startOf } from './body';

const MAX_ELEMENTS = 10_000;
const MAX_ELEMENT_BYTES = 64 * 1024;
/** The limit for everything except the elements. */
const MAX_REST_BYTES = 64 * 1024;
/** Commas, brackets and braces. Objects with more take much longer to parse than their size suggests. */
const MAX_MARKS = 500;
const SCANNED_BYTES_PER_SLICE = 64 * 1024;

const [QUOTE, BACKSLASH, COMMA] = ['"', '\\', ','].map((text) => text.charCodeAt(0));
const [OPEN_BRACE, OPEN_BRACKET, CLOSE_BRACE, CLOSE_BRACKET] = ['{', '[', '}', ']'].map((text) =>
  text.charCodeAt(0),
);
const BLANKS = new Set([...' \t\n\r'].map((text) => text.charCodeAt(0)));

/**
 * Parses an object of arrays without blocking the event loop: each element of an array is cut out and parsed alone. The
 * rest is parsed with the index of each element in its place.
 */
export async function parseJsonBatch(bytes: Buffer): Promise<unknown> {
  if (!isUtf8(bytes)) throw new Malformed('The body is not valid UTF-8.');
  const { elements, rest } = await new Cutter(bytes.subarray(startOf(bytes))).cutElements();
  const fields = parseJsonFields(rest);
  const arrays = Object.values(fields ?? {}).filter(
    (value) => Array.isArray(value) && !Object.isFrozen(value),
  );
  for (const array of arrays as unknown[][])
    for (const [at, index] of array.entries()) array[at] = elements[index as number];
  return fields;
}

/** Walks through the bytes once. The parser of the pieces checks that they are JSON. */
class Cutter {
  private readonly elements: unknown[] = [];
  private readonly rest: string[] = [];
  private restBytes = 0;
  private depth = 0;
  private marks = 0;
  private inText = false;
  private isEscaped = false;
  /** The start of the current piece. */
  private start = 0;
  private inElements = false;

  constructor(private readonly bytes: Buffer) {}

  async cutElements(): Promise<{ elements: unknown[]; rest: string }> {
    const { length } = this.bytes;
    for (let from = 0; from < length; from += SCANNED_BYTES_PER_SLICE) {
      const end = Math.min(length, from + SCANNED_BYTES_PER_SLICE);
      for (let at = from; at < end; at++) if (this.step(at)) await yieldIfNeeded();
      await yieldIfNeeded();
    }
    this.endRest(length);
    return { elements: this.elements, rest: this.rest.join('') };
  }

  /** Returns true at the end of an element. */
  private step(at: number): boolean {
    const byte = this.bytes[at]!;
    if (this.inText) {
      this.inText = this.isEscaped || byte !== QUOTE;
      this.isEscaped = !this.isEscaped && byte === BACKSLASH;
      return false;
    }
    if (byte === QUOTE) this.inText = true;
    else if (byte === COMMA) return this.onComma(at);
    else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) this.onOpen(at, byte);
    else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) return this.onClose(at);
    else if (BLANKS.has(byte)) this.skipBlank(at);
    return false;
  }

  private onComma(at: number): boolean {
    this.count();
    if (!this.inElements || this.depth !== 2) return false;
    this.endElement(at);
    return true;
  }

  private onOpen(at: number, byte: number): void {
    this.count();
    this.depth++;
    if (this.depth !== 2 || byte !== OPEN_BRACKET) return;
    this.endRest(at + 1);
    this.inElements = true;
    this.marks = 0;
  }

  private onClose(at: number): boolean {
    this.depth--;
    if (!this.inElements || this.depth !== 1) return false;
    this.endElement(at);
    this.inElements = false;
    this.start = at;
    return true;
  }

  /** Between elements, one blank replaces many. */
  private skipBlank(at: number): void {
    if (this.inElements) return;
    this.endRest(at);
    if (this.rest.at(-1) !== ' ') this.rest.push(' ');
    this.start = at + 1;
  }

  private endElement(at: number): void {
    if (at - this.start > MAX_ELEMENT_BYTES || this.elements.length === MAX_ELEMENTS) throw tooMuch();
    const text = this.bytes.toString('utf8', this.start, at);
    if (!/^[ \t\n\r]*$/.test(text))
      this.rest.push(String(this.elements.push(parseJsonFields(text, { anyNumbers: true })) - 1));
    if (this.bytes[at] === COMMA) this.rest.push(',');
    this.start = at + 1;
    this.marks = 0;
  }

  private endRest(at: number): void {
    if (at === this.start) return;
    this.restBytes += at - this.start;
    if (this.restBytes > MAX_REST_BYTES) throw tooMuch();
    this.rest.push(this.bytes.toString('utf8', this.start, at));
    this.start = at;
  }

  private count(): void {
    if (++this.marks > MAX_MARKS) throw tooMuch();
  }
}

function tooMuch(): InvalidFields {
  return new InvalidFields({
    events: [
      'must be an array of at most 1,000 events, each of at most 64 KiB and without hundreds of fields',
    ],
  });
}
