import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

const MODULE = 'virtual:icons';

/** Writes the flags and the marks as one file each, and tells the scripts their names. */
export function icons() {
  const sets = { flag: drawingsOf('flags'), mark: drawingsOf('marks') };
  return {
    name: 'icons',
    resolveId: (id) => (id === MODULE ? `\0${MODULE}` : undefined),
    load: (id) => (id === `\0${MODULE}` ? sourceOf(sets) : undefined),
    buildStart() {
      for (const [kind, files] of Object.entries(sets))
        for (const [name, source] of files)
          this.emitFile({ type: 'asset', fileName: `assets/${kind}-${name}-${hashOf(files)}.svg`, source });
    },
  };
}

/** One hash for a set, because a script that held one for each file would be twice as large. */
function hashOf(files) {
  return createHash('sha256')
    .update(JSON.stringify([...files]))
    .digest('hex')
    .slice(0, 8);
}

function sourceOf({ flag, mark }) {
  const dark = [...mark].flatMap(([name, source]) => (isDark(source) ? [name] : []));
  return [
    `export const flags = ${JSON.stringify({ hash: hashOf(flag), codes: [...flag.keys()].join(' ') })};`,
    `export const marks = ${JSON.stringify({ hash: hashOf(mark), dark })};`,
  ].join('\n');
}

function drawingsOf(kind) {
  return new Map(Object.entries(JSON.parse(readFileSync(new URL(`${kind}.json`, import.meta.url), 'utf8'))));
}

/** Tells whether a mark is black, so that it takes the colour of the text. */
function isDark(source) {
  const colors = [...source.matchAll(/#([0-9a-f]{6}|[0-9a-f]{3})\b/gi)].map(([, hex]) =>
    hex.length === 3 ? [...hex].map((digit) => digit + digit) : hex.match(/../g),
  );
  return colors.every((parts) => parts.every((part) => parseInt(part, 16) < 64));
}
