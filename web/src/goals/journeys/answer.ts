import type { QueryToSend, Warning } from '../../shared/api';
import { queryRange } from '../../shared/ranges';
import { asJson } from '../../statistics/filters/filters';
import type { View } from '../view';

export interface Node {
  kind: 'page' | 'event';
  value: string;
  visits: number;
}

export interface JourneyStep {
  step: number;
  nodes: Node[];
  others: { values: number; visits: number };
  ended: number;
}

/** The part of one step's visits that go to a part of the next; `step` is that of `to`. */
export interface Link {
  step: number;
  from: number | 'others' | 'start';
  to: number | 'others' | 'ended';
  visits: number;
}

export interface JourneyAnswer {
  data: { visits: number; steps: JourneyStep[]; links: Link[] };
  meta: { warnings?: Warning[] };
}

export const FROM = ['entry', 'page', 'event'] as const;
export const DIRECTIONS = ['forwards', 'backwards'] as const;
export const STEPS = ['1', '2', '3', '4', '5'] as const;
const USUAL_STEPS = '3';

/** Where a journey begins, and how it goes on. */
export interface Journey {
  from: (typeof FROM)[number];
  /** The page or event; empty for the entry, and until one is chosen. */
  value: string;
  direction: (typeof DIRECTIONS)[number];
  steps: (typeof STEPS)[number];
}

export function journeyIn(address: URLSearchParams): Journey {
  const [, kind, text = ''] = /^(page|event):(.+)$/s.exec(address.get('journey') ?? '') ?? [];
  const from = FROM.find((one) => one === (kind ?? address.get('journey'))) ?? 'entry';
  const isBackwards = from !== 'entry' && address.get('direction') === 'backwards';
  return {
    ...{ from, value: text, direction: isBackwards ? 'backwards' : 'forwards' },
    steps: STEPS.find((one) => one === address.get('steps')) ?? USUAL_STEPS,
  };
}

/** The change of the address that selects a journey; the default has no parameters. */
export function journeyChange({ from, value, direction, steps }: Journey) {
  const isEntry = from === 'entry';
  return {
    journey: isEntry ? undefined : value === '' ? from : `${from}:${value}`,
    direction: isEntry || direction === 'forwards' ? undefined : direction,
    steps: steps === USUAL_STEPS ? undefined : steps,
  };
}

/** Undefined until a page or event is chosen. */
export function journeyQuery(
  { span, filters, reading: { places } }: Pick<View, 'span' | 'filters' | 'reading'>,
  { from, value, direction, steps }: Journey,
): QueryToSend | undefined {
  if (from !== 'entry' && value === '') return undefined;
  const body = {
    from: from === 'entry' ? from : { [from]: value },
    direction,
    steps: Number(steps),
    range: queryRange(span),
    filters: filters.map(asJson),
  };
  return { url: `${places.stats}/journey`, headers: places.headers, body };
}
