import { crc32 } from 'node:zlib';
import { VISITOR_BYTES } from '../../ground/visitor-bytes';
import { yieldIfNeeded } from '../../ground/time/yield-if-needed';
import type { Insertion, Queryable, Transaction } from '../../database/rows';
import { DamagedDay } from '../damaged-hits';

/*
 * The hashes of the visitors of a day in columns, which late hits are matched with. They live as long as the salt of
 * the day. A row of `day_visitors` has the hashes of consecutive visitors from `first_visitor` on; an unknown visitor
 * has zeros. `hit_days.sealing` names the rows that belong to the columns; other rows are ignored. The bytes of a row:
 * 4 bytes for the CRC-32 of the row's key, as text, and of the hashes; then the hashes. The last row ends with one more
 * byte, so that a missing row is noticed.
 */
const CHECKSUM_BYTES = 4;
const LAST = Buffer.from([0]);
const VISITORS_OF_ROW = 16 * 1024;
export const MAX_VISITOR_ROW_BYTES = CHECKSUM_BYTES + VISITOR_BYTES * VISITORS_OF_ROW + LAST.length;
const ROWS_AT_ONCE = 8;
const COLUMNS = ['website_id', 'day', 'sealing', 'first_visitor', 'forget_at', 'hashes'];

/** The key of a day's hashes. */
export interface SealingKey {
  websiteId: number;
  day: number;
  sealing: number;
}

export interface VisitorRow extends SealingKey {
  firstVisitor: number;
  /** By the database's clock. */
  forgetAt: number;
  data: Buffer;
}

export class DamagedVisitors extends DamagedDay {
  constructor({ websiteId, day }: SealingKey, visitor: number) {
    super(websiteId, day, `visitors from number ${visitor} on`);
  }
}

/** The rows of some visitors, without the end of the day. */
export function rowsOfVisitors(
  day: SealingKey & Pick<VisitorRow, 'forgetAt'>,
  firstVisitor: number,
  hashes: Buffer,
  areLast = hashes.length === 0,
): VisitorRow[] {
  const rows: VisitorRow[] = [];
  const bytesOfRow = VISITOR_BYTES * VISITORS_OF_ROW;
  for (let begin = 0; begin === 0 || begin < hashes.length; begin += bytesOfRow) {
    const row = { ...day, firstVisitor: firstVisitor + begin / VISITOR_BYTES };
    const isLast = areLast && begin + bytesOfRow >= hashes.length;
    const own = Buffer.concat([hashes.subarray(begin, begin + bytesOfRow), ...(isLast ? [LAST] : [])]);
    rows.push({ ...row, data: withChecksum(row, own) });
  }
  return rows;
}

/** The bytes of a row after a change of its hashes. Damaged ones are emptied, and stay damaged. */
export function changedVisitorRow(
  key: Omit<VisitorRow, 'forgetAt' | 'data'>,
  data: Buffer,
  change: (hashes: Buffer) => Buffer,
): Buffer {
  const own = data.subarray(CHECKSUM_BYTES);
  if (data.length < CHECKSUM_BYTES || data.readUInt32LE() !== checksum(key, own)) return Buffer.alloc(0);
  const end = own.length - (own.length % VISITOR_BYTES);
  return withChecksum(key, Buffer.concat([change(own.subarray(0, end)), own.subarray(end)]));
}

function withChecksum(key: Omit<VisitorRow, 'forgetAt' | 'data'>, own: Buffer): Buffer {
  const check = Buffer.alloc(CHECKSUM_BYTES);
  check.writeUInt32LE(checksum(key, own));
  return Buffer.concat([check, own]);
}

export function visitorInsertion(rows: VisitorRow[]): Insertion {
  return {
    table: 'day_visitors',
    columns: COLUMNS,
    rows: rows.map(({ websiteId, day, sealing, firstVisitor, forgetAt, data }) => [
      ...[websiteId, day, sealing, firstVisitor],
      ...[forgetAt, data],
    ]),
  };
}

/** The hashes of all visitors of a day, in order, in pieces. */
export async function* readHashesOfDay(reader: Queryable, day: SealingKey): AsyncGenerator<Buffer> {
  const { websiteId, sealing } = day;
  for (let visitor = 0; ;) {
    const rows = await reader.query<{ firstVisitor: number; data: Buffer }[]>(
      `SELECT first_visitor AS firstVisitor, hashes AS data FROM day_visitors
      WHERE website_id = ? AND day = ? AND sealing = ? AND first_visitor >= ?
      ORDER BY first_visitor LIMIT ${ROWS_AT_ONCE}`,
      [websiteId, day.day, sealing, visitor],
    );
    if (rows.length === 0) throw new DamagedVisitors(day, visitor);
    for (const { firstVisitor, data } of rows) {
      const own = data.subarray(CHECKSUM_BYTES);
      const further = own.length % VISITOR_BYTES;
      const isWhole =
        data.length >= CHECKSUM_BYTES &&
        data.readUInt32LE() === checksum({ ...day, firstVisitor }, own) &&
        further <= LAST.length;
      if (firstVisitor !== visitor || !isWhole) throw new DamagedVisitors(day, visitor);
      const hashes = own.subarray(0, own.length - further);
      if (hashes.length > 0) yield hashes;
      if (further > 0) return;
      visitor += hashes.length / VISITOR_BYTES;
    }
  }
}

/** Reads and checks all hashes. Throws if a row is missing or damaged. Returns the number of visitors. */
export async function checkHashes(
  reader: Queryable,
  day: SealingKey,
  pause = yieldIfNeeded,
): Promise<number> {
  let visitors = 0;
  for await (const hashes of readHashesOfDay(reader, day)) {
    visitors += hashes.length / VISITOR_BYTES;
    await pause();
  }
  return visitors;
}

/** The first moment at which hashes are forgotten. */
export async function readForgetAtOfDay(reader: Queryable, day: SealingKey): Promise<number | undefined> {
  const [row] = await reader.query<{ first: number | string | null }[]>(
    'SELECT MIN(forget_at) AS first FROM day_visitors WHERE website_id = ? AND day = ? AND sealing = ?',
    [day.websiteId, day.day, day.sealing],
  );
  return row!.first === null ? undefined : Number(row!.first);
}

/** The numbers of leftover rows, and of rows of days whose visitors are forgotten. */
export async function findUnnamedSealings(reader: Queryable, websiteId: number): Promise<SealingKey[]> {
  const rows = await reader.query<{ day: number; sealing: number | string }[]>(
    `SELECT DISTINCT visitors.day AS day, visitors.sealing AS sealing FROM day_visitors visitors
    LEFT JOIN hit_days own ON own.website_id = visitors.website_id AND own.day = visitors.day
      AND own.sealing = visitors.sealing
    WHERE visitors.website_id = ? AND own.website_id IS NULL`,
    [websiteId],
  );
  return rows.map(({ day, sealing }) => ({ websiteId, day, sealing: Number(sealing) }));
}

/** Removes some rows. Returns false if more may be left. */
export async function removeSomeVisitors(
  manager: Transaction,
  { websiteId, day, sealing }: SealingKey,
  maxBytes: number,
): Promise<boolean> {
  const most = Math.max(1, Math.floor(maxBytes / MAX_VISITOR_ROW_BYTES));
  const key = [websiteId, day, sealing];
  const rows = await manager.query<{ first_visitor: number }[]>(
    `SELECT first_visitor FROM day_visitors WHERE website_id = ? AND day = ? AND sealing = ?
    ORDER BY first_visitor LIMIT ${most}`,
    key,
  );
  await manager.query(
    'DELETE FROM day_visitors WHERE website_id = ? AND day = ? AND sealing = ? AND first_visitor <= ?',
    [...key, rows.at(-1)?.first_visitor ?? 0],
  );
  return rows.length < most;
}

/** Reads the hashes of a day's visitors in order. */
export class VisitorHashes {
  private readonly pieces: AsyncGenerator<Buffer>;
  private left: Buffer = Buffer.alloc(0);

  constructor(
    reader: Queryable,
    private readonly day: SealingKey,
  ) {
    this.pieces = readHashesOfDay(reader, day);
  }

  /** The hashes of the next visitors. */
  async next(visitors: number): Promise<Buffer> {
    const bytes = VISITOR_BYTES * visitors;
    const pieces = [this.left];
    let size = this.left.length;
    while (size < bytes) {
      const { value } = (await this.pieces.next()) as IteratorResult<Buffer, undefined>;
      if (!value) throw new DamagedVisitors(this.day, visitors);
      pieces.push(value);
      size += value.length;
    }
    const all = Buffer.concat(pieces);
    this.left = all.subarray(bytes);
    return all.subarray(0, bytes);
  }
}

function checksum(
  { websiteId, day, sealing, firstVisitor }: Omit<VisitorRow, 'forgetAt' | 'data'>,
  hashes: Buffer,
): number {
  // In this order: an empty text would leave the CRC-32 of the other unchanged.
  return crc32([websiteId, day, sealing, firstVisitor].join(' '), crc32(hashes));
}
