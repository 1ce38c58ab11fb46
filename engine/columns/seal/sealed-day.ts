import { yieldIfNeeded } from '../../ground/time/yield-if-needed';
import { insertAll, placeholdersFor, type Transaction } from '../../database/rows';
import { DayBuilder } from '../segments/day-builder';
import {
  columnDayInsertion,
  DaysChanged,
  HOMES,
  partInsertion,
  type WrittenColumns,
} from '../segments/hit-segments';
import { Batch, type StoredBatch } from '../batches/batch';
import { removeBatchesOfDay } from '../batches/batches-of-websites';
import { rowsOfVisitors, visitorInsertion, type VisitorRow } from '../ordering/day-visitors';
import { DecodedOnce } from '../batches/decoded-once';
import { HitSums } from '../ordering/hit-sums';
import { SealingDiffers, sumPart } from '../ordering/written-sums';
import { encodePart } from '../segments/part-format';
import { columnsIn, type PartRow, rowsOfPart } from '../segments/part-rows';
import { noteForgottenDay } from '../rollups/rollup-rows';
import { WebsiteTexts } from '../../hits/codes/text-codes';

/** A small day, ready to be written. */
export interface PreparedDay {
  websiteId: number;
  day: number;
  columns: WrittenColumns;
  parts: PartRow[];
  visitors: VisitorRow[];
  /** The number of batches that it replaces. */
  batches: number;
  hashes: number;
}

/** The destination of a small day. */
interface SmallDayPlace {
  websiteId: number;
  day: number;
  segment: number;
  part: number;
  forgetAt: number;
}

/** Makes one part of a day of a few batches. Its rows are decoded again and compared with the hits of the batches. */
export async function prepareSmallDay(place: SmallDayPlace, stored: StoredBatch[]): Promise<PreparedDay> {
  const { websiteId, day, segment, part, forgetAt } = place;
  const texts = new WebsiteTexts(Infinity);
  const builder = new DayBuilder(day, texts);
  const sums = new HitSums();
  for (const batch of stored) {
    const hits = new DecodedOnce(await Batch.open(batch), batch.firstHit);
    sums.addHits(hits, { from: 0, before: hits.hits });
    builder.add(hits);
    await yieldIfNeeded();
  }
  const columns = builder.columns();
  sums.addVisitorsOf(columns, texts);
  const parts = rowsOfPart({ websiteId, segment, part }, await encodePart([columns], texts));
  await compareSums(place, parts, sums);
  const hashes = stored.filter((batch) => batch.hashes).length;
  // If some visitors are forgotten, their further hits would not find them.
  const sealing = hashes === stored.length ? segment : null;
  const sealed = { websiteId, day, sealing: segment, forgetAt };
  return {
    websiteId,
    day,
    columns: { home: HOMES.columns, segment, firstPart: part, lastPart: part, hits: builder.hits, sealing },
    parts,
    visitors: sealing === null ? [] : rowsOfVisitors(sealed, 0, builder.hashes(), true),
    batches: stored.length,
    hashes,
  };
}

/** Replaces the batches of days in a transaction, if all of them are stored as they were compared. */
export async function replaceBatches(
  manager: Transaction,
  days: PreparedDay[],
  sealedAt: number,
): Promise<void> {
  for (const [day, own] of groupedBy(days, (sealed) => sealed.day)) {
    await insertAll(manager, [
      partInsertion(
        own.flatMap(({ parts }) => parts),
        day,
      ),
      columnDayInsertion(own, sealedAt),
      visitorInsertion(own.flatMap(({ visitors }) => visitors)),
    ]);
    for (const { websiteId, batches, hashes } of own)
      if (hashes < batches) await noteForgottenDay(manager, websiteId, day);
    await compareStored(manager, day, own);
    await removeBatches(manager, day, own);
  }
}

export function groupedBy<T>(items: T[], key: (item: T) => number): Map<number, T[]> {
  const groups = new Map<number, T[]>();
  for (const item of items) {
    const own = groups.get(key(item)) ?? [];
    groups.set(key(item), own);
    own.push(item);
  }
  return groups;
}

async function compareSums(
  { websiteId, day }: SmallDayPlace,
  parts: PartRow[],
  sums: HitSums,
): Promise<void> {
  const written = columnsIn(parts);
  const name = written ? (await sumPart(() => written, [day])).difference(sums) : 'rows';
  if (name !== undefined) throw new SealingDiffers(websiteId, day, name);
}

/** Throws if the stored rows differ from the compared rows in a byte. */
async function compareStored(manager: Transaction, day: number, own: PreparedDay[]): Promise<void> {
  const ids = own.map(({ websiteId }) => websiteId);
  const named = `FROM hit_days named JOIN`;
  const ofDay = `WHERE named.day = ? AND named.website_id IN ${placeholdersFor(ids)}`;
  type Row = Record<'website_id' | 'place' | 'kind' | 'piece', number | string> & { data: Buffer };
  const parts = await manager.query<Row[]>(
    `SELECT own.website_id AS website_id, own.part AS place, own.kind AS kind, own.piece AS piece, own.data AS data
    ${named} hit_columns own ON own.website_id = named.website_id AND own.segment = named.segment
      AND own.part BETWEEN named.first_part AND named.last_part ${ofDay}`,
    [day, ...ids],
  );
  const visitors = await manager.query<Row[]>(
    `SELECT own.website_id AS website_id, own.first_visitor AS place, 0 AS kind, 0 AS piece, own.hashes AS data
    ${named} day_visitors own ON own.website_id = named.website_id AND own.day = named.day
      AND own.sealing = named.sealing ${ofDay}`,
    [day, ...ids],
  );
  const partsOf = groupedBy(parts, ({ website_id }) => Number(website_id));
  const visitorsOf = groupedBy(visitors, ({ website_id }) => Number(website_id));
  for (const { websiteId, ...sealed } of own) {
    const isAsWritten =
      areAlike(
        sealed.parts.map(({ part, kind, piece, data }) => ({ key: [part, kind, piece], data })),
        partsOf.get(websiteId),
      ) &&
      areAlike(
        sealed.visitors.map(({ firstVisitor, data }) => ({ key: [firstVisitor, 0, 0], data })),
        visitorsOf.get(websiteId),
      );
    if (!isAsWritten) throw new SealingDiffers(websiteId, day, 'rows');
  }
}

function areAlike(
  written: { key: number[]; data: Buffer }[],
  stored: (Record<'place' | 'kind' | 'piece', number | string> & { data: Buffer })[] = [],
): boolean {
  const dataOf = new Map(stored.map(({ place, kind, piece, data }) => [`${place} ${kind} ${piece}`, data]));
  return (
    written.length === stored.length &&
    written.every(({ key, data }) => dataOf.get(key.join(' '))?.equals(data) ?? false)
  );
}

/** While a website's token is unchanged, only retention removes its batches and hashes. */
async function removeBatches(manager: Transaction, day: number, own: PreparedDay[]): Promise<void> {
  const removed = await removeBatchesOfDay(
    manager,
    day,
    own.map(({ websiteId }) => websiteId),
  );
  const [batches, hashes] = [sumOf(own, 'batches'), sumOf(own, 'hashes')];
  if (removed.batches !== batches || removed.hashes !== hashes) throw new DaysChanged();
}

function sumOf(days: PreparedDay[], count: 'batches' | 'hashes'): number {
  return days.reduce((sum, own) => sum + own[count], 0);
}
