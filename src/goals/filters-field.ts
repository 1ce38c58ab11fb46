import { applyDecorators } from '@nestjs/common';
import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { OPERATORS } from '../../engine/questions/filter-operators';
import { CHANGING, JOINING } from '../../engine/questions/parse/body-filters';
import { FILTER_NAMES, SAVED } from '../../engine/questions/parse/filter';
import { FILTER_LIMITS } from '../../engine/questions/question-limits';
import { PROPERTY_NAME } from '../../engine/questions/parse/names';
import type { Refuse } from '../../engine/ground/errors';
import { HasParts } from '../validation/marks';
import { type Sent, sentWhen } from '../websites/resources/resource-fields';

const KIB = 1024;
const MAX_JSON_BYTES = 16 * KIB;
/** Of all of a kind: a query, or the change of a definition, may read all of a website. */
export const MAX_JSON_BYTES_TOGETHER = 256 * KIB;

/** For the OpenAPI document. */
export const sizesOf = (kind: string) =>
  `At most ${MAX_JSON_BYTES / KIB} KiB as JSON; all ${kind} of a website have at most ${MAX_JSON_BYTES_TOGETHER / KIB} KiB together.`;

/** For those who write filters. */
export const PAGES_AND_EVENTS =
  'A condition on a page also selects the events on it; ["is", "event", [null]] beside it leaves only page views.';

type Check = (sent: unknown, refuse: Refuse) => void;

const PROPERTY = { type: 'string', pattern: '^event_property:[\\s\\S]{1,64}$' };

/** The schema of some names and of event properties. */
export function nameSchema(allowed: readonly string[]) {
  const names = allowed.filter((name) => name !== PROPERTY_NAME);
  const anyOf = [{ type: 'string', enum: names }, PROPERTY];
  return { type: 'string' as const, anyOf };
}

/** Without `items`, which some generators take for further elements. */
const listOf = (...items: object[]) => ({
  type: 'array',
  prefixItems: items,
  minItems: items.length,
  maxItems: items.length,
});
const oneOf = (words: readonly string[]) => ({ type: 'string', enum: words });
const TEXT = { type: 'string', minLength: 1 };
const VALUES = { type: 'array', minItems: 1, items: { anyOf: [TEXT, { type: 'null' }] } };
/** Not a reference: tools that resolve references refuse one to itself. */
const INNER = { type: 'array', minItems: 2, items: {} };

/** Its title is its name in the documents. */
export const FILTER = {
  title: 'Filter',
  description: 'A condition, a combination of filters, or the name of a saved filter.',
  anyOf: [
    listOf(oneOf(Object.keys(OPERATORS)), nameSchema(FILTER_NAMES), VALUES),
    listOf(oneOf(JOINING), { type: 'array', items: INNER }),
    listOf(oneOf(CHANGING), INNER),
    listOf(oneOf([SAVED]), TEXT),
  ],
  example: ['is', 'country', ['DE']],
} as object;

export const FILTERS_SCHEMA = {
  type: 'array',
  minItems: 1,
  maxItems: FILTER_LIMITS.conditions,
  items: FILTER,
} as const;

/** A field with filters, or with steps that have filters, which is stored as JSON. */
export const IsStoredJson = (sent: Sent, check: Check, schema: ApiPropertyOptions) =>
  applyDecorators(
    sentWhen(sent),
    HasParts(withinBytes(check)),
    ApiProperty({ ...schema, required: sent === 'stored' } as ApiPropertyOptions),
  );

function withinBytes(check: Check): Check {
  return (sent, refuse) => {
    let isRefused = false;
    check(sent, (place, problem) => {
      isRefused = true;
      return refuse(place, problem);
    });
    // What was refused may have any size.
    if (!isRefused && Buffer.byteLength(JSON.stringify(sent)) > MAX_JSON_BYTES)
      refuse('', `must have at most ${MAX_JSON_BYTES.toLocaleString('en')} bytes as JSON`);
  };
}
