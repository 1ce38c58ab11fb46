import { VISITOR_BYTES } from '../../ground/visitor-bytes';
import type { Queryable } from '../../database/rows';
import { type Codes, packedCodes, unpacked } from '../../hits/codes/code-list';
import { DamagedDay } from '../damaged-hits';
import { DaysChanged } from '../segments/hit-segments';
import { type ColumnName, COLUMN_NAMES, COLUMNS } from '../../hits/hit-columns';
import { MAX_PART_ROW_BYTES, type PartRow } from '../segments/part-rows';
import type { DecodedTexts } from '../segments/part-texts';
import { NOT_SET, type TextCodes } from '../../hits/codes/text-codes';
import { Batch, DamagedBatch, type EncodedBatch, encodeBatch, type HitColumns } from '../batches/batch';
import type { VisitorRow } from './day-visitors';

/*
 * While a large day is sealed, its hits are stored in fragments. A fragment has hits of one partition of the visitors,
 * in the order of their acceptance, in the format of a batch. A column without texts has codes that only the writer can
 * resolve. A fragment is a row of `hit_columns`, and the hashes of its visitors are a row of `day_visitors`. Both have
 * a number that no day names, so no reader sees them, they are removed as leftovers, and the hashes are forgotten with
 * their salt.
 */
const FRAGMENT = 50;
const FRAGMENTS_AT_ONCE = 8;

/** The key of a day's fragments. */
export interface FragmentedDay {
  websiteId: number;
  day: number;
  segment: number;
}

export interface Fragment {
  /** The number among all fragments of the day. */
  number: number;
  hits: number;
  hasHashes: boolean;
}

class DamagedFragment extends DamagedDay {
  constructor({ websiteId, day }: FragmentedDay, fragment: number) {
    super(websiteId, day, `fragment ${fragment} of its sealing`);
  }
}

/** A fragment as it is stored. */
interface StoredFragment {
  fragment: Fragment;
  row: PartRow;
  visitors: VisitorRow[];
}

/** Divides hits into fragments that fit a row. */
export async function divideIntoFragments(
  day: FragmentedDay & { forgetAt: number },
  partition: number,
  hits: HitColumns,
  nextNumber: () => number,
): Promise<StoredFragment[]> {
  const number = nextNumber();
  const columns = new Map(COLUMN_NAMES.map((name) => [name, codesAlone(hits, name) ?? hits.texts(name)]));
  const texts = (name: ColumnName) => columns.get(name);
  // Fragments live for minutes, so deflation is only worthwhile for texts.
  const isDeflated = [...columns.values()].some((own) => own && own.texts.length > 0);
  const encoded = await encodeBatch(keyOf(day, number, hits.hits), { ...hits, texts }, isDeflated);
  if (encoded.data.length <= MAX_PART_ROW_BYTES || hits.hits === 1)
    return [storedFragment(day, partition, number, hits, encoded)];
  const halves: StoredFragment[] = [];
  for (const half of halvesOf(hits))
    halves.push(...(await divideIntoFragments(day, partition, half, nextNumber)));
  return halves;
}

function storedFragment(
  { websiteId, day, segment, forgetAt }: FragmentedDay & { forgetAt: number },
  partition: number,
  number: number,
  { hits, hashes }: HitColumns,
  encoded: EncodedBatch,
): StoredFragment {
  const hasHashes = hashes !== undefined;
  return {
    fragment: { number, hits, hasHashes },
    row: { websiteId, segment, part: partition, kind: FRAGMENT, piece: number, data: encoded.data },
    visitors: hasHashes
      ? [{ websiteId, day, sealing: segment, firstVisitor: number, forgetAt, data: encoded.hashes }]
      : [],
  };
}

/**
 * Halves a fragment: by visitor rows or, if it has only one, by hits. A visitor without a hash is identified by its
 * row.
 */
function halvesOf({ rowOf, ...hits }: HitColumns): HitColumns[] {
  const [ofRows, ofHits] = [Math.ceil(hits.rows / 2), Math.ceil(hits.hits / 2)];
  const isFirst = (hit: number) => (hits.rows > 1 ? rowOf[hit]! < ofRows : hit < ofHits);
  const halves = [Uint8Array.from(rowOf, (_, hit) => Number(isFirst(hit)))];
  halves.push(halves[0]!.map((first) => 1 - first));
  return halves.filter((half) => half.includes(1)).map((half) => hitsAmong({ rowOf, ...hits }, half));
}

/** The marked hits, with their visitor rows and texts only. */
function hitsAmong(hits: HitColumns, isAmong: Uint8Array): HitColumns {
  const ofHits = <C extends Codes>(codes: C) => codes.filter((_, hit) => isAmong[hit] === 1) as C;
  const own = ofHits(hits.rowOf);
  const rows = new Uint8Array(hits.rows);
  for (const row of own) rows[row] = 1;
  const ofRows = <C extends Codes>(codes: C) => codes.filter((_, row) => rows[row] === 1) as C;
  const numberOf = new Uint32Array(hits.rows);
  let size = 0;
  for (let row = 0; row < hits.rows; row++) numberOf[row] = rows[row] === 1 ? size++ : 0;
  return {
    hits: own.length,
    rows: size,
    rowOf: own.map((row) => numberOf[row]!),
    isKnown: ofRows(hits.isKnown),
    isDirect: hits.isDirect && ofRows(hits.isDirect),
    hashes: hits.hashes?.filter((_, index) => rows[Math.floor(index / VISITOR_BYTES)] === 1) as
      Buffer | undefined,
    moments: () => ofHits(hits.moments()),
    texts: (name) => {
      const known = codesAlone(hits, name) ?? hits.texts(name);
      const isOfVisitor = COLUMNS[name].of === 'visitor';
      const codes = known && unpacked(known.rows, isOfVisitor ? hits.rows : hits.hits);
      return codes && withUsedTexts(known.texts, isOfVisitor ? ofRows(codes) : ofHits(codes));
    },
  };
}

function withUsedTexts(texts: readonly string[], codes: Codes): DecodedTexts {
  if (texts.length === 0) return { texts: [], rows: packedCodes(codes) };
  const used: string[] = [];
  const codeOf = new Uint32Array(texts.length + 1);
  const rows = codes.map((code) =>
    code === NOT_SET ? NOT_SET : (codeOf[code] ||= used.push(texts[code - 1]!)),
  );
  return { texts: used, rows: packedCodes(rows) };
}

function codesAlone(hits: HitColumns, name: ColumnName): DecodedTexts | undefined {
  const known = hits.codes?.(name);
  return known && { texts: [], rows: packedCodes(known.rows as Codes) };
}

function keyOf({ websiteId, day }: FragmentedDay, number: number, size: number) {
  return { websiteId, day, firstHit: number, size };
}

interface FragmentRow {
  number: number;
  data: Buffer;
  hashes: Buffer | null;
}

/** The fragments of a partition. Throws if one is missing or damaged, unless their hits were removed. */
export async function* readFragments(
  reader: Queryable,
  day: FragmentedDay,
  partition: number,
  fragments: readonly Fragment[],
  texts: Record<ColumnName, TextCodes>,
): AsyncGenerator<HitColumns> {
  for (let first = 0; first < fragments.length; first += FRAGMENTS_AT_ONCE) {
    const some = fragments.slice(first, first + FRAGMENTS_AT_ONCE);
    const rows = await reader.query<FragmentRow[]>(
      `SELECT own.piece AS number, own.data AS data, visitors.hashes AS hashes
      FROM hit_columns own LEFT JOIN day_visitors visitors ON visitors.website_id = own.website_id
        AND visitors.day = ? AND visitors.sealing = own.segment AND visitors.first_visitor = own.piece
      WHERE own.website_id = ? AND own.segment = ? AND own.part = ? AND own.kind = ${FRAGMENT}
        AND own.piece IN (${some.map(() => '?').join(', ')})`,
      [day.day, day.websiteId, day.segment, partition, ...some.map(({ number }) => number)],
    );
    const byNumber = new Map(rows.map((row) => [row.number, row]));
    for (const fragment of some)
      yield withCodes(await open(day, fragment, byNumber.get(fragment.number)), texts);
  }
}

function withCodes(batch: Batch, of: Record<ColumnName, TextCodes>): HitColumns {
  const { hits, rows, rowOf, isKnown, isDirect, hashes } = batch;
  const columns = new Map(COLUMN_NAMES.map((name) => [name, batch.texts(name)]));
  return {
    ...{ hits, rows, rowOf, isKnown, isDirect, hashes },
    moments: () => batch.moments(),
    texts: (name) => columns.get(name),
    codes: (name) => {
      const own = columns.get(name);
      return own?.texts.length === 0 ? { texts: of[name], rows: own.rows } : undefined;
    },
  };
}

async function open(
  day: FragmentedDay,
  { number, hits, hasHashes }: Fragment,
  row: FragmentRow | undefined,
): Promise<Batch> {
  if (!row || (row.hashes !== null) !== hasHashes) throw new DaysChanged();
  try {
    return await Batch.open({ ...keyOf(day, number, hits), ...row, lastAt: 0, forgetAt: 0 });
  } catch (error) {
    throw error instanceof DamagedBatch ? new DamagedFragment(day, number) : error;
  }
}
