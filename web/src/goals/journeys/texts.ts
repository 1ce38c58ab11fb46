import { numberText } from '../../shared/format';
import { wordsOf } from '../../shared/language/value-labels';
import { texts } from '../../shared/texts';
import { words } from '../words';
import type { Journey } from './answer';
import type { Box, Column } from './layout';

/** What a part of a step is, in words. */
export function boxText({ node, kind, values }: Box, start: string, isBackwards: boolean): string {
  if (node) return wordsOf(node.kind, node.value);
  if (kind === 'start') return start;
  if (kind === 'others') return words.journeys.others(texts.merged, valuesText(values));
  return isBackwards ? words.journeys.began : words.journeys.ended;
}

/** How many values others are. */
export const valuesText = (values: number) => words.journeys.values(values, numberText(values));

/** What is above a column. */
export function headingOf({ step }: Column, { from, direction }: Pick<Journey, 'from' | 'direction'>) {
  const { headings } = words.journeys;
  if (step === 0) return headings.start;
  if (from === 'entry' && step === 1) return headings.entry;
  return direction === 'backwards' ? headings.before(step) : headings.step(step);
}
