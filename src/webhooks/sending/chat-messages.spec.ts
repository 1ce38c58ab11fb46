import { chatPostOf } from './chat-messages';

const website = { id: 1, domain: 'one.example' };
const posted = (format: 'slack' | 'discord' | 'ntfy', payload: object) =>
  chatPostOf(format, JSON.stringify({ website, ...payload }), 'https://stats.example');
const goals = (...names: string[]) => ({
  goals: names.map((name) => ({ name, conversions: 7, value: null, currency: null })),
});
const alert = (more: object) => ({
  alert: { name: 'Visitors', metric: 'visitors', condition: 'above', threshold: 50, ...more },
  value: 200,
  usual: 100,
});

it('counts stand beside names of any length, in which no character is halved', () => {
  const name = `${'x'.repeat(148)}😀`.repeat(2);
  const lines = posted('ntfy', goals(name)).body.split('\n');
  expect(lines).toEqual([`${'x'.repeat(148)}…: 7 conversions`]);
});

it.each(['slack', 'discord', 'ntfy'] as const)('%s says how many goals are left out', (format) => {
  const names = Array.from({ length: 25 }, (_, number) => `goal ${number} ${'*'.repeat(140)}`);
  const { body } = posted(format, goals(...names));
  const text = format === 'ntfy' ? body : JSON.stringify(JSON.parse(body));
  const shown = [...text.matchAll(/goal \d+/g)].length;
  expect(shown).toBeGreaterThan(2);
  expect(text).toContain(`and ${25 - shown} more`);
});

it('ntfy gets less than it makes a file of', () => {
  const { body } = posted('ntfy', goals(...Array.from({ length: 25 }, () => '統'.repeat(300))));
  expect(Buffer.byteLength(body)).toBeLessThan(4096);
  expect(body).toMatch(/^統+…: 7 conversions\n.*and \d+ more$/s);
});

it('a threshold of a change is a part of what is usual', () => {
  const { body } = posted('ntfy', alert({ condition: 'rises' }));
  expect(body).toBe('visitors: 200, higher than usual (threshold 50 %, usual 100)');
  expect(posted('ntfy', alert({})).body).toBe('visitors: 200, above the threshold (threshold 50, usual 100)');
});

it('a name that looks like an encoded header is encoded', () => {
  const name = '=?UTF-8?B?CkNsaWNrOiBo?=';
  const [, title] = /^=\?UTF-8\?B\?(.+)\?=$/.exec(posted('ntfy', alert({ name })).headers.Title!)!;
  expect(Buffer.from(title!, 'base64').toString()).toBe(`Alert "${name}" on one.example`);
});

it('discord shows no invitation that a name has', () => {
  const { content } = JSON.parse(posted('discord', goals('discord.gg/abc')).body) as { content: string };
  expect(content).toContain('discord\\.gg/abc');
});
