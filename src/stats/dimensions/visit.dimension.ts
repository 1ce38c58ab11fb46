import type { Dimension, Statement } from './dimension';
import { fromExpression } from './hit.dimension';

/** The first or the last page that is viewed in a visit. */
export function ofVisit(which: 'first' | 'last', statement: Statement): Dimension {
  return fromExpression((hit) => `${hit}.${which === 'first' ? 'visit_entry' : 'visit_exit'}`, statement);
}
