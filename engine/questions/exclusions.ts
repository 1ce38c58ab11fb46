import type { Span } from '../hits/calendar';
import type { Asker } from './asker';
import { type Filter, filterOf, type ResolvedFilter } from './parse/filter';

/** What is left out of every answer about some days. It is plain data. */
export interface Exclusion {
  readonly id: number;
  readonly name: string;
  /** Written out when the exclusion is made. Without any, all hits are left out. */
  readonly filters: ResolvedFilter[];
  readonly from: number;
  /** Without it, the exclusion goes on. */
  readonly to?: number | undefined;
  /** Tells whether the hits are removed for good, day by day. Then it has a last day, and goes with it. */
  readonly purge?: boolean | undefined;
}

/** An exclusion that concerns an answer. */
export type ExcludedBy = Pick<Exclusion, 'id' | 'name'>;

function isExcluding({ from, to = Infinity }: Exclusion, span: Span): boolean {
  return from <= span.to && span.from <= to;
}

/** The exclusions that concern a day of some spans. */
export function excludingIn(exclusions: readonly Exclusion[], spans: readonly Span[]): Exclusion[] {
  return exclusions.filter((exclusion) => spans.some((span) => isExcluding(exclusion, span)));
}

/** The exclusions of an answer, as its meta names them to owners. */
export function excludedBy(
  { isOwner }: Asker,
  exclusions: readonly Exclusion[],
  spans: readonly Span[],
): ExcludedBy[] {
  return isOwner ? excludingIn(exclusions, spans).map(({ id, name }) => ({ id, name })) : [];
}

/** The filter that selects all hits except excluded ones. Undefined without exclusions. */
export function keptBy(exclusions: readonly Exclusion[]): Filter | undefined {
  if (exclusions.length === 0) return undefined;
  return { kind: 'all', of: exclusions.map((exclusion) => ({ kind: 'not', of: excluded(exclusion) })) };
}

/** A filter joined by and to the one that leaves exclusions out. */
export function keptOf(filter: Filter | undefined, exclusions: readonly Exclusion[]): Filter | undefined {
  const kept = keptBy(exclusions);
  return filter && kept ? { kind: 'all', of: [filter, kept] } : (filter ?? kept);
}

function excluded({ filters, from, to }: Exclusion): Filter {
  const selected = filterOf(filters);
  return { kind: 'all', of: [{ kind: 'days', from, to: to ?? null }, ...(selected ? [selected] : [])] };
}
