import { readFileSync, writeFileSync } from 'node:fs';
import { openApiDocument } from '../../src/docs';
import { startApp, type TestApp } from '../support/test-app';

const FILE = `${__dirname}/../../openapi.json`;

let service: TestApp;
beforeAll(async () => void (service = await startApp()));
afterAll(() => service.stop());

it('is kept in the repository as it is served', async () => {
  const text = `${JSON.stringify(openApiDocument(service.app), null, 2)}\n`;
  if (process.env.UPDATE_OPENAPI) writeFileSync(FILE, text);
  expect(readFileSync(FILE, 'utf8')).toBe(text);
  for (const path of ['/openapi.json', '/docs-json'])
    expect((await service.api.get(path)).body).toEqual(JSON.parse(text));
});

it('has examples that select page views, not the events on the pages', () => {
  const ofPages = listsIn(openApiDocument(service.app)).filter((list) =>
    list.some((one) => Array.isArray(one) && one[1] === 'page'),
  );
  expect(ofPages.length).toBeGreaterThan(0);
  for (const list of ofPages) expect(list).toContainEqual(['is', 'event', [null]]);
});

function listsIn(value: unknown): unknown[][] {
  if (typeof value !== 'object' || value === null) return [];
  const inside = Object.values(value).flatMap(listsIn);
  return Array.isArray(value) ? [value, ...inside] : inside;
}
