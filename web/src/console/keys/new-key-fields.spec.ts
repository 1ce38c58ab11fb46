import { wishIn } from './new-key-fields';

const NOW = new Date('2026-11-26T10:20:30.456Z');

function formOf(fields: [string, string][]): FormData {
  const form = new FormData();
  for (const [name, value] of fields) form.append(name, value);
  return form;
}

it('asks for a key of all websites that never expires', () =>
  expect(
    wishIn(
      formOf([
        ['name', ' '],
        ['scope', 'read'],
        ['lifetime', 'never'],
      ]),
      NOW,
    ),
  ).toEqual({ scope: 'read' }));

it('limits a key to websites, and to a time', () =>
  expect(
    wishIn(
      formOf([
        ['name', ' dashboard '],
        ['scope', 'events'],
        ['limited', '1'],
        ['website', '3'],
        ['website', '12'],
        ['lifetime', '30'],
      ]),
      NOW,
    ),
  ).toEqual({
    name: 'dashboard',
    scope: 'events',
    websites: [3, 12],
    expires_at: '2026-12-26T10:20:30',
  }));

it('sends a limit to no website, which the API refuses, rather than none', () =>
  expect(
    wishIn(
      formOf([
        ['scope', 'full'],
        ['limited', '1'],
        ['lifetime', 'never'],
      ]),
      NOW,
    ),
  ).toEqual({
    scope: 'full',
    websites: [],
  }));

it('ends a key at the start of a day', () =>
  expect(
    wishIn(
      formOf([
        ['scope', 'full'],
        ['lifetime', 'day'],
        ['expires_at', '2027-01-31'],
      ]),
      NOW,
    ),
  ).toEqual({
    scope: 'full',
    expires_at: '2027-01-31T00:00:00',
  }));
