import { compareTexts } from '../../engine/ground/text-order';
import type { FunnelOrder, FunnelWithin } from '../../engine/questions/funnel-request';
import type { ResolvedFilter } from '../../engine/questions/parse/filter';
import type { Hit } from '../../engine/hits/hit';
import { isWithin, type Placed, QueryModel, type Visitor } from './query-model';

export interface ModelRange {
  from: string;
  to: string;
  /** In seconds, both included. */
  moments?: { from: number; to: number } | undefined;
}

export interface ModelFunnel {
  filters: ResolvedFilter[];
  steps: ResolvedFilter[][];
  order: FunnelOrder;
  within: FunnelWithin;
  breakdown: string | undefined;
}

export interface ModelStep {
  visitors: number;
  median: number | undefined;
  p90: number | undefined;
  nextPages: { page: string; visitors: number }[];
}

export interface ModelJourney {
  filters: ResolvedFilter[];
  from: { kind: 'page' | 'event'; value: string } | 'entry';
  isBackwards: boolean;
  steps: number;
}

type Value = string | null;

const NODES = 10;

/** The meaning of funnels and journeys, computed from plain hits. */
export class WalkModel {
  private readonly queries: QueryModel;
  private readonly visitors: Visitor[];

  /** The hits in the order of acceptance, and the filters that walks see nothing else of. */
  constructor(
    hits: Hit[],
    timezone: string,
    private readonly kept: ResolvedFilter[] = [],
  ) {
    this.queries = new QueryModel(hits, timezone);
    this.visitors = [...new Set(this.queries.placed.map(({ visitor }) => visitor))].filter(
      ({ isKnown }) => isKnown,
    );
  }

  funnel(asked: ModelFunnel, range: ModelRange): { steps: ModelStep[]; breakdown: [Value, number[]][] } {
    const chains = this.visitors.flatMap((visitor) => {
      const chain = this.furthest(visitor, asked, range);
      return chain.length > 0 ? [chain] : [];
    });
    const reached = (own: Placed[][]) =>
      asked.steps.map((_, step) => own.filter((chain) => chain.length > step).length);
    const steps = reached(chains).map((visitors, step) => {
      const seconds = chains
        .filter((chain) => step > 0 && chain.length > step)
        .map((chain) => chain[step]!.hit.at - chain[step - 1]!.hit.at);
      const left = chains.filter((chain) => chain.length === step + 1 && step + 1 < asked.steps.length);
      return {
        visitors,
        median: percentile(seconds, 50),
        p90: percentile(seconds, 90),
        nextPages: topOf(left.map((chain) => this.nextPage(chain.at(-1)!, range)))
          .slice(0, 5)
          .map(([page, visitors]) => ({ page, visitors })),
      };
    });
    return { steps, breakdown: asked.breakdown ? this.breakdown(asked.breakdown, chains, reached) : [] };
  }

  journey(asked: ModelJourney, range: ModelRange) {
    const paths = this.visitors.flatMap((visitor) =>
      [...new Set(visitor.all.map(({ visit }) => visit))].flatMap(({ hits }) => {
        const path = this.pathOf(hits, asked, range);
        return path ? [path] : [];
      }),
    );
    const nodes = Array.from({ length: asked.steps }, (_, step) =>
      topOf(paths.map((path) => path[step])).slice(0, NODES),
    );
    return {
      visits: paths.length,
      steps: nodes.map((own, step) => stepOf(own, paths, step)),
      links: nodes.flatMap((_, step) => linksTo(step, nodes, paths)),
    };
  }

  private breakdown(
    name: string,
    chains: Placed[][],
    reached: (own: Placed[][]) => number[],
  ): [Value, number[]][] {
    const groups = new Map<Value, Placed[][]>();
    for (const chain of chains) {
      const value = this.queries.valueOf(name, chain[0]!, chain[0]!);
      groups.set(value, [...(groups.get(value) ?? []), chain]);
    }
    return [...groups]
      .map(([value, own]): [Value, number[]] => [value, reached(own)])
      .sort(([one, [count]], [other, [otherCount]]) => otherCount! - count! || compareValues(one, other))
      .slice(0, 10);
  }

  private furthest(visitor: Visitor, asked: ModelFunnel, range: ModelRange): Placed[] {
    const visits = [...new Set(visitor.all.map(({ visit }) => visit))].map(({ hits }) => hits);
    const parts = asked.within === 'day' ? [visitor.all] : visits;
    const find = asked.order === 'open' ? openChain : strictChain;
    const chains = parts.map((part) => {
      const hits = part.filter((placed) => this.isSeen(placed));
      const steps = hits.map((placed) => this.stepsOf(placed, asked, range));
      return find(hits, steps, asked.steps.length);
    });
    return chains.reduce((best, chain) => (chain.length > best.length ? chain : best), []);
  }

  /** Tells whether a hit can be each of the steps. */
  private stepsOf(placed: Placed, { filters, steps }: ModelFunnel, range: ModelRange): boolean[] {
    const passes = (all: ResolvedFilter[]) => this.passesAll(all, placed);
    const isSelected = isIn(placed, range) && passes(filters);
    return steps.map((step) => isSelected && passes(step));
  }

  private nextPage(after: Placed, range: ModelRange): string | undefined {
    const { hits } = after.visit;
    const later = hits.slice(hits.indexOf(after) + 1);
    return later.find((placed) => placed.hit.event === null && isIn(placed, range) && this.isSeen(placed))
      ?.hit.page;
  }

  private passesAll(filters: ResolvedFilter[], placed: Placed): boolean {
    return filters.every((filter) => this.queries.passes(filter, placed));
  }

  /** An excluded hit is like a passive one. */
  private isSeen(placed: Placed): boolean {
    return !placed.hit.isPassive && this.passesAll(this.kept, placed);
  }

  /** What a visit sees from its start on, or before it. Undefined without a start. */
  private pathOf(
    all: Placed[],
    { filters, from, isBackwards, steps }: ModelJourney,
    range: ModelRange,
  ): string[] | undefined {
    const hits = all.filter((placed) => isIn(placed, range));
    if (!hits.some((placed) => this.passesAll([...filters, ...this.kept], placed))) return undefined;
    const items = hits.filter((placed) => this.isSeen(placed)).map(({ hit }) => itemOf(hit));
    if (isBackwards) items.reverse();
    const runs = items.filter((item, index) => item !== items[index - 1]);
    if (from === 'entry') return runs.length === 0 ? undefined : runs.slice(0, steps);
    const start = runs.indexOf(JSON.stringify([from.value, from.kind]));
    return start < 0 ? undefined : runs.slice(start + 1, start + 1 + steps);
  }
}

/** The lexicographically first of the longest chains of later hits, by trying all. */
function openChain(hits: Placed[], steps: boolean[][], length: number): Placed[] {
  const known = new Map<string, number[]>();
  const longest = (step: number, from: number): number[] => {
    const key = `${step} ${from}`;
    let best = known.get(key);
    if (best) return best;
    best = [];
    for (let hit = from; step < length && hit < hits.length; hit++) {
      if (!steps[hit]![step]) continue;
      const chain = [hit, ...longest(step + 1, hit + 1)];
      if (chain.length > best.length) best = chain;
    }
    known.set(key, best);
    return best;
  };
  return longest(0, 0).map((hit) => hits[hit]!);
}

/** The first of the longest chains of consecutive hits, by trying each begin. */
function strictChain(hits: Placed[], steps: boolean[][], length: number): Placed[] {
  let best: Placed[] = [];
  for (let begin = 0; begin < hits.length; begin++) {
    let step = 0;
    while (step < length && steps[begin + step]?.[step]) step++;
    if (step > best.length) best = hits.slice(begin, begin + step);
  }
  return best;
}

function isIn(placed: Placed, { from, to, moments }: ModelRange): boolean {
  const query = { from, to, moments, filters: [], dimensions: [] };
  return placed.day >= from && placed.day <= to && isWithin(placed, query);
}

/** The value comes first, so that it decides the order. */
function itemOf({ event, page }: Hit): string {
  return JSON.stringify(event === null ? [page, 'page'] : [event, 'event']);
}

function stepOf(nodes: [string, number][], paths: string[][], step: number) {
  const reached = paths.filter((path) => path.length > step);
  const shown = nodes.reduce((sum, [, visits]) => sum + visits, 0);
  const values = new Set(reached.map((path) => path[step]!)).size;
  return {
    nodes: nodes.map(([item, visits]) => {
      const [value, kind] = JSON.parse(item) as [string, 'page' | 'event'];
      return { kind, value, visits };
    }),
    others: { values: values - nodes.length, visits: reached.length - shown },
    ended: paths.filter((path) => path.length === step).length,
  };
}

function linksTo(step: number, nodes: [string, number][][], paths: string[][]) {
  const placeIn = (at: number, path: string[]) => {
    const place = nodes[at]!.findIndex(([item]) => item === path[at]);
    return place < 0 ? 'others' : place;
  };
  const links = new Map<string, number>();
  for (const path of paths) {
    if (path.length < step) continue;
    const from = step === 0 ? 'start' : placeIn(step - 1, path);
    const to = path.length === step ? 'ended' : placeIn(step, path);
    const key = JSON.stringify([from, to]);
    links.set(key, (links.get(key) ?? 0) + 1);
  }
  return [...links].map(([key, visits]) => {
    const [from, to] = JSON.parse(key) as [number | string, number | string];
    return { step: step + 1, from, to, visits };
  });
}

/** The texts by how often they occur. */
function topOf(texts: (string | undefined)[]): [string, number][] {
  const counts = new Map<string, number>();
  for (const text of texts) if (text !== undefined) counts.set(text, (counts.get(text) ?? 0) + 1);
  return [...counts].sort(
    ([one, count], [other, otherCount]) => otherCount - count || compareItems(one, other),
  );
}

/** Items are JSON of a value and a kind; pages are plain. */
function compareItems(one: string, other: string): number {
  if (!one.startsWith('[')) return compareTexts(one, other);
  const [[value, kind], [otherValue, otherKind]] = [JSON.parse(one), JSON.parse(other)] as [
    [string, string],
    [string, string],
  ];
  return compareTexts(value, otherValue) || compareTexts(kind, otherKind);
}

function percentile(seconds: number[], percent: number): number | undefined {
  const sorted = [...seconds].sort((one, other) => one - other);
  return sorted[Math.ceil((percent * sorted.length) / 100) - 1];
}

function compareValues(one: Value, other: Value): number {
  if (one === null || other === null) return Number(one !== null) - Number(other !== null);
  return compareTexts(one, other);
}
