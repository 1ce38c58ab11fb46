import { dayText } from '../../ground/time/days';
import { csvCell } from './csv';
import { type FileFormat, NDJSON } from './file-formats';
import { decimalOf } from '../events/amount';
import { FIELD_NAMES, FIELDS, type FieldName, type FieldValue, type Property } from '../fields';
import type { Hit } from '../hit';

/** A hit of a day, with the number of its visitor. */
export interface ExportedHit {
  hit: Hit;
  day: string;
  visitor: number | null;
  /** Tells whether an exclusion leaves it out of all counts. */
  isExcluded: boolean;
}

/** The properties of an event have a shorter name in lines. */
type LineName = Exclude<FieldName, 'properties'> | 'props';

/** A hit as a line of a file shows it. */
export type HitLine = { occurred_at: string; day: string; visitor: number | null; excluded: boolean } & {
  [N in LineName]: N extends 'props' ? Record<string, Property[1]> | null : FieldValue<Exclude<N, 'props'>>;
};

type Value = HitLine[keyof HitLine];
type Cell = (exported: ExportedHit) => Value;

const WRITTEN: Partial<Record<FieldName, Cell>> = {
  properties: ({ hit }) => hit.properties && Object.fromEntries(hit.properties),
  value: ({ hit }) => hit.value && decimalOf(hit.value),
};

function cellOf(name: FieldName): Cell {
  const { key } = FIELDS[name];
  return WRITTEN[name] ?? (({ hit }) => hit[key] as Value);
}

const CELLS = Object.fromEntries<Cell>([
  ['occurred_at', ({ hit }) => momentText(hit.at)],
  ['day', ({ day }) => day],
  ['visitor', ({ visitor }) => visitor],
  ...FIELD_NAMES.map((name) => [name === 'properties' ? 'props' : name, cellOf(name)] as const),
  ['excluded', ({ isExcluded }) => isExcluded],
]) as Record<keyof HitLine, Cell>;

export const HIT_COLUMNS = Object.keys(CELLS) as (keyof HitLine)[];

/**
 * From each of these cells to the next one, cells are only formatted if one of their values changed since the previous
 * line.
 */
const FIRST_OF_GROUPS = new Set<keyof HitLine>([
  'occurred_at',
  'day',
  'event',
  'page',
  'referrer',
  'campaign',
  'browser',
  'props',
]);

type CellText = (name: string, value: Value) => string;

/** Writes the lines of one file. */
export function hitLines({ type }: Pick<FileFormat, 'type'>): HitLines {
  return type === NDJSON
    ? new HitLines((name, value) => `"${name}":${JSON.stringify(value)}`, '{', '}\n')
    : new HitLines(
        (_, value) => csvCell(typeof value === 'object' && value ? JSON.stringify(value) : value),
        '',
        '\r\n',
      );
}

/** Collects the lines of hits until they are taken. */
export class HitLines {
  private readonly groups: Group[];
  private lines = new Bytes(0);

  constructor(cellText: CellText, begin: string, end: string) {
    const names: (keyof HitLine)[][] = [];
    for (const name of HIT_COLUMNS)
      if (FIRST_OF_GROUPS.has(name)) names.push([name]);
      else names.at(-1)!.push(name);
    const last = names.length - 1;
    this.groups = names.map(
      (own, index) => new Group(own, cellText, index === 0 ? begin : ',', index === last ? end : ''),
    );
  }

  get bytes(): number {
    return this.lines.length;
  }

  add(hits: readonly ExportedHit[]): void {
    for (const exported of hits) for (const group of this.groups) group.write(exported, this.lines);
  }

  take(): Buffer {
    const { all } = this.lines;
    this.lines = new Bytes(all.length);
    for (const group of this.groups) group.begin();
    return all;
  }
}

class Group {
  private readonly cells: { name: string; valueOf: (exported: ExportedHit) => Value; value: unknown }[];
  private text = '';
  /** The place where it was last written. */
  private at: number | undefined;
  private end = 0;

  constructor(
    names: (keyof HitLine)[],
    private readonly cellText: CellText,
    private readonly before: string,
    private readonly behind: string,
  ) {
    this.cells = names.map((name) => ({ name, valueOf: CELLS[name], value: this }));
  }

  /** Call it when the buffer starts again. */
  begin(): void {
    this.at = undefined;
  }

  write(exported: ExportedHit, bytes: Bytes): void {
    if (this.isSame(exported) && this.at !== undefined) {
      bytes.copy(this.at, this.end);
      return;
    }
    this.at = bytes.length;
    bytes.write(this.text);
    this.end = bytes.length;
  }

  private isSame(exported: ExportedHit): boolean {
    let isSame = true;
    for (const cell of this.cells) {
      const value = cell.valueOf(exported);
      if (value === cell.value) continue;
      cell.value = value;
      isSame = false;
    }
    if (!isSame) {
      const texts = this.cells.map(({ name, value }) => this.cellText(name, value as Value));
      this.text = `${this.before}${texts.join(',')}${this.behind}`;
    }
    return isSame;
  }
}

/** A growing buffer. Copying earlier bytes is many times faster than writing a text. */
class Bytes {
  length = 0;
  private bytes: Buffer;

  constructor(size: number) {
    this.bytes = Buffer.allocUnsafeSlow(size);
  }

  get all(): Buffer {
    return this.bytes.subarray(0, this.length);
  }

  write(text: string): void {
    this.makeRoom(MAX_BYTES_OF_UNIT * text.length);
    this.length += this.bytes.write(text, this.length);
  }

  copy(begin: number, end: number): void {
    this.makeRoom(end - begin);
    this.bytes.copyWithin(this.length, begin, end);
    this.length += end - begin;
  }

  private makeRoom(size: number): void {
    if (this.length + size <= this.bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(2 * this.bytes.length + size);
    this.bytes.copy(larger, 0, 0, this.length);
    this.bytes = larger;
  }
}

/** UTF-8 bytes for a UTF-16 code unit. */
const MAX_BYTES_OF_UNIT = 3;
const [DAY_S, MINUTE_S] = [86_400, 60];
const SECONDS = Array.from({ length: MINUTE_S }, (_, second) => `${String(second).padStart(2, '0')}Z`);
const MINUTES = Array.from(
  { length: DAY_S / MINUTE_S },
  (_, minute) =>
    `T${new Date(minute * MINUTE_S * 1000).toISOString().slice('1970-01-01T'.length, -'00.000Z'.length)}`,
);
let lastDate = { day: NaN, text: '' };

function momentText(at: number): string {
  const day = Math.floor(at / DAY_S);
  if (day !== lastDate.day) lastDate = { day, text: dayText(day) };
  const second = at - day * DAY_S;
  return `${lastDate.text}${MINUTES[Math.floor(second / MINUTE_S)]}${SECONDS[second % MINUTE_S]}`;
}
