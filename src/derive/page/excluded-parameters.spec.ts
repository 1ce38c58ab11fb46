import fc from 'fast-check';
import { ParameterRules } from './excluded-parameters';

it.each([null, 'a', 'a\nb'])('leaves the nameless parameter in, by the rules %p', (lines) => {
  expect(new ParameterRules(lines).excludes('')).toBe(false);
});

it('matches a wildcard as a regular expression would', () => {
  const text = (units: string) => fc.string({ unit: fc.constantFrom(...units), maxLength: 8 });
  fc.assert(
    fc.property(text('ab*'), text('ab'), (rule, name) => {
      const expected = new RegExp(`^${rule.replaceAll('*', '.*')}$`).test(name);
      expect(new ParameterRules(rule).excludes(name)).toBe(expected);
    }),
    { numRuns: 5000 },
  );
});

it('is not stopped by wildcards that could be tried in countless ways', () => {
  const rules = Array.from({ length: 1000 }, (_, index) => `${'*a'.repeat(120)}*b${index}`).join('\n');
  const excluded = new ParameterRules(rules);
  expect(excluded.excludes('a'.repeat(8000))).toBe(false);
});

it('takes little memory for very many wildcards, and excludes the same names', () => {
  const lines = Array.from({ length: 1000 }, (_, line) => `p${line}${'*x'.repeat(20)}`);
  const all = new ParameterRules(lines.join('\n'));
  const few = new ParameterRules(lines.slice(0, 10).join('\n'));
  expect(all.bytes).toBeLessThan(200_000);
  for (const name of [`p7${'x'.repeat(20)}`, `p7${'yx'.repeat(20)}`, `p7${'x'.repeat(19)}`, 'p7'])
    expect([name, all.excludes(name)]).toEqual([name, few.excludes(name)]);
});
