import {
  changeInPoints,
  changeOf,
  decimalText,
  durationText,
  numberText,
  percentText,
  shortNumberText,
  stepText,
} from '../../shared/format';
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
export type FigureName = (typeof FIGURE_NAMES)[number];

export interface Figure {
  text: string;
  /** Undefined if it is unknown or a ratio with the divisor 0. */
  of: (counts: Counts) => number | undefined;
  write: (value: number) => string;
  /** For narrow places; the title has the exact value. */
  writeShort: (value: number) => string;
  /** For the steps of its axis. */
  writeStep: (value: number) => string;
  /** The change from an earlier value; undefined without one. */
  changeFrom: typeof changeOf;
  /** The steps of its axis are multiples of this number, so that the axis shows them exactly. */
  precision: number;
  /** Tells whether its axis has seconds, which 60 make a minute of. */
  isTime?: boolean;
  /** Tells whether a lower value is better. */
  isBetterLow: boolean;
}

const counted = (name: 'visitors' | 'pageviews' | 'visits'): Figure => ({
  text: texts.figures[name],
  of: (counts) => counts[name],
  write: numberText,
  writeShort: shortNumberText,
  writeStep: stepText,
  changeFrom: changeOf,
  precision: 1,
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
  writeStep: write,
  changeFrom: changeOf,
  precision: 0.1,
  isBetterLow: false,
  ...details,
});

export const FIGURES: Record<FigureName, Figure> = {
  visitors: counted('visitors'),
  pageviews: counted('pageviews'),
  visits: counted('visits'),
  views_per_visit: ratio('views_per_visit', 'views', decimalText),
  bounce_rate: ratio('bounce_rate', 'bounces', percentText, {
    changeFrom: changeInPoints,
    precision: 0.001,
    isBetterLow: true,
  }),
  visit_duration: ratio('visit_duration', 'seconds', durationText, { precision: 1, isTime: true }),
};

export function figureIn(address: URLSearchParams): FigureName {
  return FIGURE_NAMES.find((name) => name === address.get('metric')) ?? FIGURE_NAMES[0];
}

/** The figure of one's own beside the drawn one; undefined if there is none. */
export function secondFigureIn(address: URLSearchParams): FigureName | undefined {
  return FIGURE_NAMES.find((name) => name === address.get('second') && name !== figureIn(address));
}
