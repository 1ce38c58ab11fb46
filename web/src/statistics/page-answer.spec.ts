import type { SummaryAnswer } from '../shared/api';
import { de } from '../shared/language/de';
import { pageAnswer, type View } from './page-answer';

const SPAN = { from: '2026-06-01', to: '2026-11-29' };
const KEPT = {
  code: 'kept_since',
  detail: 'Hits are available since 2026-09-02; earlier hits are not counted.',
};
const COLLECTED = {
  code: 'collected_since',
  detail: 'hostname is collected since 2026-10-07; earlier hits have no value.',
};
const VIEW: View = {
  ...{ span: SPAN, unit: 'month', back: undefined, filters: [], isOwner: false, mayFilter: false },
  names: ['country', 'entry_page', 'hostname'],
};

const summary = (names: string[], warnings: object[]) =>
  ({
    data: names.map((name) => ({
      name,
      sum: 3,
      total: 1,
      entries: [{ value: name, label: name, count: 3 }],
    })),
    meta: { range: SPAN, warnings },
  }) as unknown as SummaryAnswer;

/** What viewers of a shared page without filters see. */
function shown(ofDays: object[], ofHits: object[], first?: string) {
  const summaries = [
    summary(['visitor', 'pageview', 'country'], ofDays),
    summary(['entry_page', 'hostname'], ofHits),
  ];
  const { tops, warnings } = pageAnswer(VIEW, summaries, undefined, undefined, first);
  const panels = VIEW.names.map((name) => tops[name]?.since ?? tops[name]?.entries.length);
  return { panels, warnings };
}

it('has a day instead of entries for names that do not cover the range of the rollups', () => {
  expect(shown([], [])).toEqual({ panels: [1, 1, 1], warnings: [] });
  expect(shown([], [KEPT])).toEqual({ panels: [1, '2026-09-02', '2026-09-02'], warnings: [] });
  expect(shown([], [KEPT, COLLECTED])).toEqual({ panels: [1, '2026-09-02', '2026-10-07'], warnings: [] });
  expect(shown([], [COLLECTED])).toEqual({ panels: [1, 1, '2026-10-07'], warnings: [] });
  expect(shown([], [KEPT], '2026-09-02').panels).toEqual([1, 1, 1]);
});

it('says it once of a page that is counted from hits as a whole', () =>
  expect(shown([KEPT], [KEPT])).toEqual({ panels: [1, 1, 1], warnings: ['kept_since'] }));

it('has one German sentence for several warnings of a kind, and none for what stands elsewhere', () => {
  const merged = (name: string) => ({
    code: 'values_merged',
    detail: `On 2 of the days, ${name} had more values than the limit; the rarest are counted as (other).`,
  });
  const { warnings } = shown([merged('country'), merged('page'), { code: 'rows_overlap', detail: '' }], []);
  expect(warnings.map((code) => de.warnings[code])).toEqual([expect.stringMatching(/^Es gibt mehr .*Werte/)]);
});
