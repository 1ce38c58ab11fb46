import { type ColumnName, COLUMN_NAMES } from '../hit-columns';
import { OTHER } from '../rollups/limits/value-limits';

/** The code of no value. */
export const NOT_SET = 0;
/** What a text takes as a member of an array and as a key of a map, besides its characters. */
const BYTES_PER_TEXT = 100;
const BYTES_PER_CHARACTER = 2;

/** Counts bytes that are taken of a budget; false where fewer are left. */
export type TakeMemory = (bytes: number) => boolean;

export const UNBOUNDED: TakeMemory = () => true;

/** How much some texts of a website may take in memory. */
export class Room {
  used = 0;

  constructor(
    private readonly maxBytes: number,
    private readonly takeMemory = UNBOUNDED,
  ) {}

  get isFull(): boolean {
    return this.used >= this.maxBytes;
  }

  /** False where there is no room; what is needed in any case has some. */
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
  /** What they take in memory. */
  bytes = 0;

  /** Whether a text has got the code of `OTHER`. */
  isMerged = false;

  constructor(private readonly room: Room) {}

  /** Whether further texts would get the code of `OTHER`. */
  get isFull(): boolean {
    return this.room.isFull;
  }

  /** The code of a text, a new one where it has none. Where there is no room for more they share the code of `OTHER`. */
  codeOf(text: string | null): number {
    if (text === null) return NOT_SET;
    const known = this.codes.get(text);
    if (known !== undefined) return known;
    const bytes = BYTES_PER_TEXT + BYTES_PER_CHARACTER * text.length;
    if (this.room.take(bytes, text === OTHER)) return this.add(text, bytes);
    this.isMerged = true;
    return this.codeOf(OTHER);
  }

  /** Undefined where no hit has the text. */
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

/** Columns with another text for each event: they have rooms of their own, so that they take none from others. */
const OWN_ROOMS = { properties: 0.4, value: 0.1 } satisfies Partial<Record<ColumnName, number>>;

/** The codes of all columns of one website. */
export class WebsiteTexts {
  readonly of: Record<ColumnName, TextCodes>;
  private readonly rooms: Room[];

  /** So much the texts of most columns may take together, and those of others a part of it. */
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
