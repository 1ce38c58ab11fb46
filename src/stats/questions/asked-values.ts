import type { Values } from './derived';
import type { Filter } from './filter';
import { type AskedName, placeOf } from './names';
import type { Question } from './question';

/** What questions filter and group by, where it is not the moment. */
export function valuesAsked(questions: Question[]): Values[] {
  const names = questions.flatMap(({ dimensions, filter }) => [
    ...dimensions,
    ...(filter ? namesIn(filter) : []),
  ]);
  return [...new Set(names)].flatMap((name) => {
    const place = placeOf(name);
    return place.level === 'moment' ? [] : [place.values];
  });
}

export function namesIn(filter: Filter): AskedName[] {
  if (filter.kind === 'test') return [filter.name];
  return (Array.isArray(filter.of) ? filter.of : [filter.of]).flatMap(namesIn);
}
