import type { Logger } from '@nestjs/common';
import { UnregisteredDomains } from './unregistered-domains';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

function recorded() {
  const lines: string[] = [];
  const domains = new UnregisteredDomains({
    warn: (line: string) => void lines.push(line),
  } as unknown as Logger);
  return { domains, lines };
}

it('names a domain once a minute', () => {
  const { domains, lines } = recorded();
  for (let sent = 0; sent < 5; sent++) domains.add('one.example');
  domains.add('two.example');
  expect(lines).toEqual([expect.stringContaining('one.example'), expect.stringContaining('two.example')]);
  jest.advanceTimersByTime(60_000);
  domains.add('one.example');
  expect(lines).toHaveLength(3);
});

it('names only some of very many, and counts the others', () => {
  const { domains, lines } = recorded();
  for (let sent = 0; sent < 1000; sent++) domains.add(`${sent}.example`);
  expect(lines).toHaveLength(20);
  jest.advanceTimersByTime(60_000);
  expect(lines.at(-1)).toContain('980 more events');
});
