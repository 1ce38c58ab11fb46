import type { QueryAnswer, QueryRow } from '../../shared/api';

/** The rows of an answer, each with that of the earlier answer that it is compared with. */
export function paired({ data, meta }: QueryAnswer, earlier: QueryAnswer): QueryRow[] {
  const [step] = meta.dimensions;
  if (step !== 'hour') return data.map((row, index) => withCounterpart(row, earlier.data[index], step));
  const [begin, beginBefore] = [meta, earlier.meta].map(({ range }) => Date.parse(range.from));
  const byPlace = rowsByPlace(earlier);
  return data.map((row) => {
    const rows = byPlace.get(placeOf(row, meta) - (begin! - beginBefore!));
    return withCounterpart(row, rows?.shift(), step);
  });
}

/** When clocks are set back, an hour has two rows; the first one is the counterpart of a single one. */
function rowsByPlace({ data, meta }: QueryAnswer): Map<number, QueryRow[]> {
  const rows = new Map<number, QueryRow[]>();
  for (const row of data) {
    const place = placeOf(row, meta);
    rows.set(place, [...(rows.get(place) ?? []), row]);
  }
  return rows;
}

/** Hours of days are compared by the clock, and those of a range of moments by the time that passed. */
function placeOf({ hour = '' }: QueryRow, { range }: QueryAnswer['meta']): number {
  return Date.parse(range.from.includes('T') ? hour : `${hour.slice(0, 16)}Z`);
}

/** An hour that the other day did not have has no counterpart. */
function withCounterpart(row: QueryRow, other: QueryRow | undefined, step: string | undefined): QueryRow {
  const counterpart = other?.[step as 'day'];
  return { ...row, previous: other ?? {}, ...(counterpart !== undefined && { counterpart }) };
}
