import { VISITOR_BYTES } from '../../ground/visitor-bytes';
import { yieldIfNeeded } from '../../ground/time/yield-if-needed';
import type { Check } from '../../ground/deadline-check';
import type { Queryable, Reading } from '../../database/rows';
import { hitsOfBlock } from '../../hits/hits-of-block';
import type { Hit } from '../../hits/hit';
import {
  readColumnDay,
  type ColumnDay,
  partName,
  readParts,
  expectColumns,
  HOMES,
  isRemote,
} from './hit-segments';
import { Part } from './part';
import { ALL_KINDS, type EncodedPart, STRUCTURE } from './part-format';
import { DamagedColumns, type PartKey } from './part-rows';
import { PartTexts } from './part-texts';
import { HitsRemoved } from '../batches/batches';
import type { HitBlock } from '../../hits/hit-block';
import { WebsiteTexts } from '../../hits/codes/text-codes';
import { readRowsOfDay } from '../../rows/row-days';
import { homeOf } from '../homes/homes';
import { RowsMissing } from '../../rows/row-home';

/** A range of hits of a day. */
export interface SomeHits {
  hits: Hit[];
  /** The place after the last hit. */
  end: number;
}

/** The day moved to another segment. The order of hits is unchanged, so a reader can continue there. */
class DayMoved extends HitsRemoved {
  constructor(
    websiteId: number,
    day: number,
    readonly to: ColumnDay,
  ) {
    super(websiteId, day, 0);
  }
}

/** The hits of a day in a part. */
interface DayOfPart {
  block: HitBlock;
  texts: WebsiteTexts;
}

/**
 * The hits of a day in columns, by visitor in the order of the first hits. Each visitor has a unique name. If the day
 * moves to another segment meanwhile, reading continues there.
 */
export async function* readHitsInColumns(
  read: Reading,
  websiteId: number,
  day: number,
  columns: ColumnDay,
  check?: Check,
): AsyncGenerator<SomeHits> {
  let place = 0;
  for (let current: ColumnDay | undefined = columns; current;) {
    try {
      for await (const some of readHitsInSegment(read, websiteId, day, current, check)) {
        if (some.end <= place) continue;
        yield { hits: some.hits.slice(place - some.end), end: some.end };
        place = some.end;
      }
      current = undefined;
    } catch (error) {
      if (!(error instanceof DayMoved)) throw error;
      current = error.to;
    }
  }
}

/** The name of a visitor in columns, by its number in the day. */
export function visitorName(visitor: number): Buffer {
  const name = Buffer.alloc(VISITOR_BYTES);
  name.writeUInt32LE(visitor, 0);
  return name;
}

async function* readHitsInSegment(
  read: Reading,
  websiteId: number,
  day: number,
  columns: ColumnDay,
  check: Check | undefined,
): AsyncGenerator<SomeHits> {
  let [end, visitors] = [0, 0];
  for await (const { block, texts } of partsOfDay(read, websiteId, day, columns, check)) {
    const before = visitors;
    const named = (visitor: number) => visitorName(before + visitor).toString('base64url');
    for (const some of hitsOfBlock(block, texts, named)) {
      end += some.length;
      yield { hits: some, end };
      await yieldIfNeeded();
    }
    visitors += block.visitors;
  }
}

/** The hits of a day in columns or rows, part by part. Throws if one is missing. */
export async function* partsOfDay(
  read: Reading,
  websiteId: number,
  day: number,
  columns: ColumnDay,
  check?: Check,
): AsyncGenerator<DayOfPart> {
  const { home, segment, firstPart, lastPart, hits } = columns;
  let found = 0;
  if (home !== HOMES.columns) {
    const key = { websiteId, day, version: segment };
    for await (const some of readRowsOfDay(homeOf(home), read, key, { check })) {
      yield some;
      found += some.block.hits;
    }
    if (found !== hits) await read((reader) => expectUnmoved(reader, websiteId, day, columns));
  } else
    for (let part = firstPart; part <= lastPart; part++) {
      const key = { websiteId, segment, part };
      const texts = new WebsiteTexts(Infinity);
      // The other days of the part only take memory during this read.
      const block = await read(async (reader) =>
        dayOf(await readWholePart(reader, key, day, columns), texts, day),
      );
      if (!block) continue;
      yield { block, texts };
      found += block.hits;
    }
  if (found !== hits && isRemote(home)) throw new RowsMissing(day);
  if (found !== hits) throw new DamagedColumns({ websiteId, segment, part: lastPart }, day);
}

async function dayOf(stored: EncodedPart, texts: WebsiteTexts, day: number): Promise<HitBlock | undefined> {
  const structure = new Map([[STRUCTURE, stored.get(STRUCTURE)!]]);
  const part = new Part(structure, new PartTexts(texts), day);
  if (part.hitsOf(day) === 0) return undefined;
  for (const column of stored) {
    await yieldIfNeeded();
    part.add(new Map([column]));
  }
  return part.block([day]);
}

/** A part is removed after its days have moved. */
async function readWholePart(
  reader: Queryable,
  key: PartKey,
  day: number,
  columns: ColumnDay,
): Promise<EncodedPart> {
  const { websiteId } = key;
  const stored = await readParts(reader, websiteId, [key], ALL_KINDS);
  const found = stored.get(partName(key));
  if (found && ALL_KINDS.every((kind) => found.has(kind))) return found;
  await expectUnmoved(reader, websiteId, day, columns);
  return expectColumns(found, ALL_KINDS, key, day);
}

async function expectUnmoved(
  reader: Queryable,
  websiteId: number,
  day: number,
  columns: ColumnDay,
): Promise<void> {
  const now = await readColumnDay(reader, websiteId, day);
  // With other hits, the order differs.
  if (now?.hits !== columns.hits || now.sealedAt !== columns.sealedAt)
    throw new HitsRemoved(websiteId, day, 0);
  if (now.segment !== columns.segment) throw new DayMoved(websiteId, day, now);
}
