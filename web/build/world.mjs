import { readFileSync } from 'node:fs';

const MODULE = 'virtual:world';

/** Tells the scripts the shapes of the countries. */
export function world() {
  return {
    name: 'world',
    resolveId: (id) => (id === MODULE ? `\0${MODULE}` : undefined),
    load: (id) =>
      id === `\0${MODULE}`
        ? `export const world = ${readFileSync(new URL('world.json', import.meta.url), 'utf8')};`
        : undefined,
  };
}
