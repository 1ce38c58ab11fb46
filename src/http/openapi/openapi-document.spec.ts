import { readFileSync } from 'node:fs';
import { join } from 'node:path';

it('names and summarises each operation in its own words, under a tag that is described', () => {
  const document = JSON.parse(readFileSync(join(__dirname, '../../../openapi.json'), 'utf8')) as {
    tags: { name: string }[];
    paths: Record<string, Record<string, { operationId: string; summary: string; tags: string[] }>>;
  };
  const operations = Object.values(document.paths).flatMap((path) => Object.values(path));
  const [ids, summaries] = [operations.map((one) => one.operationId), operations.map((one) => one.summary)];
  expect(ids.filter((id) => !/^[a-z]+([A-Z][a-z]+)*$/.test(id))).toEqual([]);
  for (const texts of [ids, summaries]) expect(new Set(texts).size).toBe(texts.length);
  const tags = new Set(operations.flatMap((operation) => operation.tags));
  expect([...tags].sort()).toEqual(document.tags.map(({ name }) => name).sort());
});
