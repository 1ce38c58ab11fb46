import { decimalText, durationText, numberText, percentText, shortNumberText } from '../../shared/format';
import type { Counts } from './series';
import { texts } from '../../shared/texts';

export const FIGURE_NAMES = [
  'visitors',
  'pageviews',
  'visits',
  'views_per_visit',
  'bounce_rate',
  'visit_duration',
] as const;
type FigureName = (typeof FIGURE_NAMES)[number];

export interface Figure {
  text: string;
  /** Undefined if it is unknown or a ratio with the divisor 0. */
  of: (counts: Counts) => number | undefined;
  write: (value: number) => string;
  /** For narrow places. */
  writeShort: (value: number) => string;
  /** Whether its axis has only whole numbers. */
  isWhole: boolean;
  /** Whether a lower value is better. */
  isBetterLow: boolean;
}

const counted = (name: 'visitors' | 'pageviews' | 'visits'): Figure => ({
  text: texts.figures[name],
  of: (counts) => counts[name],
  write: numberText,
  writeShort: shortNumberText,
  isWhole: true,
  isBetterLow: false,
});

const ratio = (
  name: FigureName,
  part: 'views' | 'bounces' | 'seconds',
  write: (value: number) => string,
  details: Partial<Figure> = {},
): Figure => ({
  text: texts.figures[name],
  of: (counts) => (counts.visits ? (counts[part] ?? 0) / counts.visits : undefined),
  write,
  writeShort: write,
  isWhole: false,
  isBetterLow: false,
  ...details,
});

export const FIGURES: Record<FigureName, Figure> = {
  visitors: counted('visitors'),
  pageviews: counted('pageviews'),
  visits: counted('visits'),
  views_per_visit: ratio('views_per_visit', 'views', decimalText),
  bounce_rate: ratio('bounce_rate', 'bounces', percentText, { isBetterLow: true }),
  visit_duration: ratio('visit_duration', 'seconds', durationText, { isWhole: true }),
};

export function figureIn(address: URLSearchParams): FigureName {
  return FIGURE_NAMES.find((name) => name === address.get('metric')) ?? FIGURE_NAMES[0];
}
