import type { Dimension, Statement } from './dimension';

/** A column that each hit has a value of. */
export function ofHit(column: string, statement: Statement): Dimension {
  return fromExpression((hit) => `${hit}.${column}`, statement);
}

/** A property of events. */
export function ofProperty(name: string, statement: Statement): Dimension {
  const wanted = statement.bind(name);
  const key = ['website', 'day', 'version', 'visitor', 'place'];
  return fromExpression(
    (hit) =>
      `(SELECT property.value FROM hit_properties property WHERE property.name = ${wanted} AND ${key
        .map((column) => `property.${column} = ${hit}.${column}`)
        .join(' AND ')})`,
    statement,
  );
}

/** One value for each row, whatever is counted. */
export function fromExpression(expression: (hit: string) => string, statement: Statement): Dimension {
  return {
    valueOf: expression,
    has: (hit, wanted) => statement.has(expression, hit, wanted),
  };
}
