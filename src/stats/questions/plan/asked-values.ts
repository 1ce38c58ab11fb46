import type { Values } from './derived';
import type { Filter } from '../parse/filter';
import { type AskedName, placeOf } from '../parse/names';
import type { Question } from './question';

/** What says which columns are needed. */
export type AskedOfHits = Pick<Question, 'range' | 'previous' | 'filter' | 'dimensions' | 'metrics'>;

/** What questions filter and group by, where it is not the moment, and add up. */
export function valuesAsked(questions: AskedOfHits[]): Values[] {
  const names = questions.flatMap(({ dimensions, filter }) => [
    ...dimensions,
    ...(filter ? namesIn(filter) : []),
  ]);
  const asked = [...new Set(names)].flatMap((name) => {
    const place = placeOf(name);
    return place.level === 'moment' ? [] : [place.values];
  });
  return questions.some(addsValues) ? [...asked, 'value', 'currency'] : asked;
}

export function addsValues({ metrics }: AskedOfHits): boolean {
  return metrics.includes('value_high');
}

export function namesIn(filter: Filter): AskedName[] {
  if (filter.kind === 'test') return [filter.name];
  return (Array.isArray(filter.of) ? filter.of : [filter.of]).flatMap(namesIn);
}
