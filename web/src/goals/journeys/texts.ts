import { numberText } from '../../shared/format';
import { wordsOf } from '../../shared/language/wording';
import { words } from '../words';
import type { Box } from './layout';

/** What a part of a step is, in words. */
export function boxText({ node, kind, values }: Box, start: string, isBackwards: boolean): string {
  if (node) return wordsOf(node.kind, node.value);
  if (kind === 'start') return start;
  if (kind === 'others') return words.journeys.others(numberText(values));
  return isBackwards ? words.journeys.began : words.journeys.ended;
}
