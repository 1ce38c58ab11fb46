import type { Warning } from '../shared/api';
import { sinceIn } from './coverage';

const SPAN = { from: '2026-06-01', to: '2026-11-29' };

const kept = (day: string): Warning => ({
  code: 'kept_since',
  detail: `Hits are available since ${day}; earlier hits are not counted.`,
});
const collected = (day: string, name = 'region'): Warning => ({
  code: 'collected_since',
  detail: `${name} is collected since ${day}; earlier hits have no value.`,
});
const since = (warnings: Warning[], first?: string) => sinceIn({ meta: { warnings } }, SPAN, first);

it('an answer is complete unless a warning names a later day than its first one', () => {
  const other: Warning = { code: 'values_merged', detail: 'Others since 2026-09-09; and more.' };
  expect(sinceIn({ meta: {} }, SPAN, undefined)).toBeUndefined();
  expect(since([other])).toBeUndefined();
  expect(since([kept('2026-09-02')])).toBe('2026-09-02');
  expect(since([kept('2026-06-01')])).toBeUndefined();
  expect(since([kept('2026-09-02'), collected('2026-10-07')])).toBe('2026-10-07');
  expect(since([kept('2026-09-02'), collected('2026-07-07'), other])).toBe('2026-09-02');
});

it('an answer is complete if nobody came before the day', () => {
  expect(since([kept('2026-09-02')], '2026-09-02')).toBeUndefined();
  expect(since([kept('2026-09-02')], '2026-09-01')).toBe('2026-09-02');
});

it('no name of a property is taken for a day', () =>
  expect(since([collected('2026-10-07', 'event_property:since 2026-11-11; x')])).toBe('2026-10-07'));
