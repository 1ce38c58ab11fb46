import { REFERRER_PAGE, type Values } from '../../../engine/questions/plan/values-from-columns';
import { type Dimension, daysOf, isWanted, NotInSql, type Statement } from './dimension';

interface Acquired {
  readonly name: string;
  readonly valueOf: (hit: string) => string;
}

/**
 * What brings visitors. A visitor may have several values in a day; a visit, and its hits, have the first one. `none`
 * is the value of visitors whose first hit brought none.
 */
export function ofAcquisition(values: Values, none: string | undefined, statement: Statement): Dimension {
  const acquired = acquiredFrom(values);
  const visit = (hit: string) => `${hit}.visit_${acquired.name}`;
  const valueOfNone = none === undefined ? undefined : statement.bind(none);
  const hasAny = statement.visitorsWith((own) => `${acquired.valueOf(own)} IS NOT NULL`);
  return {
    valueOf: (hit) => (valueOfNone ? `COALESCE(${visit(hit)}, ${valueOfNone})` : visit(hit)),
    valuesOfVisitors: [
      `SELECT own.day, own.visitor, ${acquired.valueOf('own')} AS value FROM hits own
       WHERE ${daysOf('own')} AND ${acquired.valueOf('own')} IS NOT NULL`,
      ...(valueOfNone
        ? [
            `SELECT own.day, own.visitor, ${valueOfNone} AS value FROM hits own
             WHERE ${daysOf('own')} AND own.is_direct = 1`,
          ]
        : []),
    ].join(' UNION '),
    has: (hit, { test, values: wanted }) => {
      const texts = wanted.filter((value) => value !== null);
      const bringsOne = statement.visitorsWith((own) =>
        statement.has(acquired.valueOf, own, { test, values: texts }),
      );
      const visitor = `(${hit}.day, ${hit}.visitor)`;
      const isDirect = `${hit}.is_direct = 1`;
      const tests = [
        `${visitor} IN ${bringsOne}`,
        ...(none !== undefined && isWanted(none, { test, values: texts }) ? [isDirect] : []),
        ...(texts.length < wanted.length
          ? [`${visitor} NOT IN ${hasAny}${none === undefined ? '' : ` AND NOT ${isDirect}`}`]
          : []),
      ];
      return `(${tests.map((test) => `(${test})`).join(' OR ')})`;
    },
  };
}

function acquiredFrom(values: Values): Acquired {
  if (typeof values === 'string') return { name: values, valueOf: (hit) => `${hit}.${values}` };
  if (values === REFERRER_PAGE)
    return { name: 'referrer_page', valueOf: (hit) => `COALESCE(${hit}.referrer_page, ${hit}.referrer)` };
  // Channels follow from rules that a release may change.
  throw new NotInSql(values.key);
}
