import { PROPERTY_NAMES, type Values } from '../../../engine/questions/plan/values-from-columns';
import { GOAL } from '../../../engine/questions/parse/filter';
import { isPropertyName, originOf, type QueryName } from '../../../engine/questions/parse/names';
import type { Zone } from '../../../engine/questions/plan/buckets';
import type { DimensionName, Range } from '../../../engine/questions/plan/hit-query';
import { ofAcquisition } from './acquisition.dimension';
import { type Dimension, NotInSql, type Statement } from './dimension';
import { ofHit, ofProperty } from './hit.dimension';
import { ofMoments } from './moment.dimension';
import { ofVisitor } from './visitor.dimension';
import { ofVisit } from './visit.dimension';

/** The dimension of a name, by the kind that its declaration says. */
export function dimensionOf(name: DimensionName, range: Range, zone: Zone, statement: Statement): Dimension {
  if (name === GOAL) throw new NotInSql(name);
  const origin = originOf(name);
  switch (origin.level) {
    case 'hit':
      if (isPropertyName(name)) return ofProperty(propertyIn(name), statement);
      return ofHit(columnOf(origin.values), statement);
    case 'visitor':
      return ofVisitor(origin.values, statement);
    case 'acquisition':
      return ofAcquisition(origin.values, origin.none, statement);
    case 'visit':
      return ofVisit(origin.which, statement);
    case 'moment':
      return ofMoments(origin.bucket, range, zone);
  }
}

function columnOf(values: Values): string {
  if (values === PROPERTY_NAMES) return 'property_names';
  if (typeof values !== 'string') throw new NotInSql(values.key);
  return values;
}

function propertyIn(name: QueryName): string {
  return name.slice(name.indexOf(':') + 1);
}
