import { Ajv2020 } from 'ajv/dist/2020';
import { array, assert, constantFrom, letrec, oneof, property, sample, tuple } from 'fast-check';
import openapi from '../../openapi.json';
import { checkFilters } from '../../engine/questions/parse/body-filters';

const isDocumented = new Ajv2020({ strict: false })
  .addSchema(openapi, 'openapi')
  .getSchema('openapi#/components/schemas/Filter')!;

function isTaken(filter: unknown): boolean {
  let isRefused = false;
  checkFilters([filter], () => void (isRefused = true));
  return !isRefused;
}

const WRONG = constantFrom<unknown>(null, 1, '', {}, [], ['is'], ['and', [], []], ['xor', []], 'is');
const WORDS = constantFrom<unknown>(
  'is',
  'contains',
  'ends',
  'and',
  'or',
  'not',
  'has_done',
  'saved',
  'is-not',
);
const NAMES = constantFrom<unknown>('page', 'goal', 'event_property:plan', 'event_property:', 'pages', 7);
const VALUES = oneof(array(constantFrom<unknown>('a', 'DE', 'b'), { maxLength: 3 }), WRONG);

const condition = oneof(
  tuple(constantFrom('is', 'is_not', 'starts'), NAMES, VALUES),
  tuple(constantFrom('saved', 'is'), constantFrom<unknown>('Mobile', '', 3)),
  tuple(WORDS, NAMES, VALUES),
  WRONG,
);
const { filter } = letrec<{ filter: unknown }>((tie) => ({
  filter: oneof(
    { maxDepth: 3 },
    condition,
    tuple(constantFrom('and', 'or'), array(tie('filter'), { maxLength: 3 })),
    tuple(constantFrom('not', 'has_done', 'has_not_done'), tie('filter')),
  ),
}));

it('what the document says about conditions is what the service takes', () => {
  assert(
    property(condition, (one) => expect([one, isDocumented(one)]).toEqual([one, isTaken(one)])),
    { numRuns: 1000 },
  );
});

it('filters in filters are documented', () => {
  const taken = sample(filter, 2000).filter(isTaken);
  expect(taken.filter((one) => !isDocumented(one))).toEqual([]);
  expect(taken.filter((one) => JSON.stringify(one).includes('["not"')).length).toBeGreaterThan(20);
});
