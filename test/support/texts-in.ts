/** Every text of a table by its path, and for functions that they are some, so that two languages can be compared. */
export function textsIn(value: unknown, path = ''): [path: string, kind: string][] {
  if (typeof value === 'string') return [[path, 'text']];
  if (typeof value === 'function') return [[path, 'function']];
  return Object.entries(value as object).flatMap(([key, one]) => textsIn(one, `${path}.${key}`));
}

/** The keys of empty texts, as JSON has them. */
export const emptyTextsIn = (table: object) => JSON.stringify(table).match(/"[^"]*":\s*""/g) ?? [];
