import fc from 'fast-check';
import { csvLine } from '../../../engine/hits/files/csv';
import { NDJSON } from '../../../engine/hits/files/file-formats';
import { NO_HIT } from '../../../engine/hits/hit';
import { type ExportedHit, HIT_COLUMNS, type HitLines, hitLines } from '../../../engine/hits/files/hit-lines';
import type { HitView } from './hit.view';

const text = fc.oneof(fc.constantFrom('a', 'b', '=1', 'é "ü"\r\n', '🙂'), fc.string({ unit: 'grapheme' }));
const exported: fc.Arbitrary<ExportedHit> = fc.record({
  hit: fc
    .record({
      at: fc.oneof(fc.nat(2 ** 31), fc.constantFrom(0, 86_399, 86_400)),
      page: text,
      event: fc.option(text),
      city: text,
      properties: fc.option(fc.array(fc.tuple(text, fc.oneof(text, fc.nat(), fc.boolean())))),
      value: fc.option(fc.constantFrom('499000', '-5')),
    })
    .map((some) => ({ ...NO_HIT, ...some })),
  day: fc.constantFrom('2026-02-01', '2026-02-02'),
  visitor: fc.option(fc.nat(3)),
  isExcluded: fc.boolean(),
});

function written(lines: HitLines, hits: ExportedHit[]): string {
  for (const hit of hits) lines.add([hit]);
  const { bytes } = lines;
  const piece = lines.take();
  expect([piece.length, lines.bytes]).toEqual([bytes, 0]);
  return String(piece);
}

it('writes each line as if it were the only one', () => {
  fc.assert(
    fc.property(fc.array(fc.array(exported, { maxLength: 20 }), { maxLength: 3 }), (pieces) => {
      for (const type of [NDJSON, 'text/csv']) {
        const lines = hitLines({ type });
        const alone = (one: ExportedHit) => written(hitLines({ type }), [one]);
        for (const hits of pieces) expect(written(lines, hits)).toBe(hits.map(alone).join(''));
      }
    }),
  );
});

it('writes what JSON and CSV are made of', () => {
  fc.assert(
    fc.property(exported, (one) => {
      const read = JSON.parse(written(hitLines({ type: NDJSON }), [one])) as Record<
        keyof HitView,
        string | number | null
      >;
      const { hit } = one;
      expect(Object.keys(read)).toEqual(HIT_COLUMNS);
      expect(read).toMatchObject({
        occurred_at: new Date(hit.at * 1000).toISOString().replace('.000', ''),
        ...{ day: one.day, visitor: one.visitor, page: hit.page, event: hit.event, city: hit.city },
        excluded: one.isExcluded,
        props: hit.properties && Object.fromEntries(hit.properties),
        value: hit.value && (hit.value === '-5' ? '-0.0005' : '49.9'),
      });
      const cells = HIT_COLUMNS.map((name) =>
        name === 'props' ? read[name] && JSON.stringify(read[name]) : read[name],
      );
      expect(written(hitLines({ type: 'text/csv' }), [one])).toBe(csvLine(cells));
    }),
  );
});
