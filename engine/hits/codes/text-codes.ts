import { type ColumnName, COLUMN_NAMES } from '../hit-columns';
import { OTHER } from '../rules/value-limits';

/** The code for no value. */
export const NOT_SET = 0;
/** The memory of a text in an array and in a map, besides its characters. */
const BYTES_PER_TEXT = 100;
const BYTES_PER_CHARACTER = 2;

/** The memory of texts with some characters in all. */
export function bytesOfTexts(texts: number, characters: number): number {
  return BYTES_PER_TEXT * texts + BYTES_PER_CHARACTER * characters;
}

/** Takes bytes of a budget. Returns false if fewer are left. */
export type TakeMemory = (bytes: number) => boolean;

export const UNBOUNDED: TakeMemory = () => true;

/** A limit for the memory of a website's texts. */
export class Room {
  used = 0;

  constructor(
    private readonly maxBytes: number,
    private readonly takeMemory = UNBOUNDED,
  ) {}

  get isFull(): boolean {
    return this.used >= this.maxBytes;
  }

  /** Returns false if there is no room. Needed bytes are always taken. */
  take(bytes: number, isNeeded: boolean): boolean {
    const hasRoom = !this.isFull && this.takeMemory(bytes);
    if (hasRoom || isNeeded) this.used += bytes;
    return hasRoom || isNeeded;
  }
}

/** Numbers for the texts of one column, so that a scan compares and groups numbers. */
export class TextCodes {
  readonly texts: (string | null)[] = [null];
  private readonly codes = new Map<string, number>();
  /** The approximate memory. */
  bytes = 0;

  /** Tells whether a text has the code of `OTHER`. */
  isMerged = false;

  constructor(private readonly room: Room) {}

  /** Tells whether new texts get the code of `OTHER`. */
  get isFull(): boolean {
    return this.room.isFull;
  }

  /** The code of a text; a new text gets a new code. Without room, new texts share the code of `OTHER`. */
  codeOf(text: string | null): number {
    if (text === null) return NOT_SET;
    const known = this.codes.get(text);
    if (known !== undefined) return known;
    const bytes = bytesOfTexts(1, text.length);
    if (this.room.take(bytes, text === OTHER)) return this.add(text, bytes);
    this.isMerged = true;
    return this.codeOf(OTHER);
  }

  /** Gives a text a code of its own, even without room. */
  addNeeded(text: string | null): void {
    if (text === null || this.codes.has(text)) return;
    const bytes = bytesOfTexts(1, text.length);
    this.room.take(bytes, true);
    this.add(text, bytes);
  }

  /** Undefined if no hit that was read has the text. */
  find(text: string | null): number | undefined {
    return text === null ? NOT_SET : this.codes.get(text);
  }

  private add(text: string, bytes: number): number {
    const code = this.texts.push(text) - 1;
    this.codes.set(text, code);
    this.bytes += bytes;
    return code;
  }
}

/** Columns with a different text for each event. They have limits of their own, so that they leave room for others. */
const OWN_ROOMS = { properties: 0.4, value: 0.1 } satisfies Partial<Record<ColumnName, number>>;

/** The codes of all columns of a website. */
export class WebsiteTexts {
  readonly of: Record<ColumnName, TextCodes>;
  private readonly rooms: Room[];

  /** `maxBytes` is the limit for most columns together. The others have a share of it. */
  constructor(maxBytes: number, takeMemory = UNBOUNDED, known?: Record<ColumnName, TextCodes>) {
    const shared = new Room(maxBytes, takeMemory);
    const own = Object.entries(OWN_ROOMS).map(
      ([name, part]) => [name, new Room(part * maxBytes, takeMemory)] as const,
    );
    const roomOf = new Map<string, Room>(own);
    this.rooms = [shared, ...roomOf.values()];
    const codes = COLUMN_NAMES.map((name) => [name, new TextCodes(roomOf.get(name) ?? shared)] as const);
    this.of = known ?? (Object.fromEntries(codes) as Record<ColumnName, TextCodes>);
  }

  get bytes(): number {
    return this.rooms.reduce((sum, { used }) => sum + used, 0);
  }
}
