import { writeFileSync } from 'node:fs';
import { flags, marks } from './icons.mjs';
import { regionLines } from './regions.mjs';
import { world } from './world.mjs';

/** Writes an object, one entry a line, so that a change shows what it changed. */
function write(name, lines) {
  writeFileSync(new URL(`../../web/build/${name}.json`, import.meta.url), `{\n${lines.join(',\n')}\n}\n`);
}

const linesOf = (entries) =>
  [...entries].map(([key, value]) => `${JSON.stringify(key)}: ${JSON.stringify(value)}`);

write('flags', linesOf(flags()));
write('marks', linesOf(marks()));
write('world', linesOf(Object.entries(world())));
write('regions', regionLines());
