import { type Dimension, NotInSql, type Statement } from './dimension';
import {
  BROWSER_VERSION,
  REGION,
  SYSTEM_VERSION,
  type Values,
} from '../../../engine/questions/plan/values-from-columns';
import { fromExpression } from './hit.dimension';

/** What a visitor is known by from the first hit of the day on. Every row of the visitor repeats it. */
export function ofVisitor(values: Values, statement: Statement): Dimension {
  if (typeof values === 'string') return fromExpression((hit) => `${hit}.${values}`, statement);
  if (values === BROWSER_VERSION) return versioned('browser', 'browser_version', statement);
  if (values === SYSTEM_VERSION) return versioned('operating_system', 'operating_system_version', statement);
  if (values === REGION) return fromExpression(regionOf, statement);
  throw new NotInSql(values.key);
}

function versioned(name: string, version: string, statement: Statement): Dimension {
  return fromExpression(
    (hit) =>
      `CASE WHEN ${hit}.${version} IS NULL THEN ${hit}.${name} ELSE CONCAT(${hit}.${name}, ' ', ${hit}.${version}) END`,
    statement,
  );
}

/** A city is followed by its region and the two letters of its country. */
function regionOf(hit: string): string {
  const rest = `SUBSTR(${hit}.city, INSTR(${hit}.city, ', ') + 2)`;
  const isCapital = (place: number) => `SUBSTR(${rest}, ${place}, 1) BETWEEN 'A' AND 'Z'`;
  const isRegion = [
    `INSTR(${hit}.city, ', ') > 0`,
    `LENGTH(${rest}) > 4`,
    `SUBSTR(${rest}, -4, 2) = ', '`,
    isCapital(-2),
    isCapital(-1),
  ];
  return `CASE WHEN ${isRegion.join(' AND ')} THEN ${rest} ELSE '(unknown)' END`;
}
