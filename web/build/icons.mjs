import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const require = createRequire(import.meta.url);
const FLAGS = join(dirname(require.resolve('country-flag-icons/package.json')), '3x2');
const ICONS = new URL('../src/statistics/icons/', import.meta.url);
const logos = require('@iconify-json/logos/icons.json');
const simpleIcons = require('@iconify-json/simple-icons/icons.json');
const SIMPLE = 'simple-';
const MODULE = 'virtual:icons';

/** Writes the flags, and the marks of `brands.json`, as one file each, and tells the scripts their names. */
export function icons() {
  const sets = { flag: flags(), mark: marks() };
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

function flags() {
  const codes = readdirSync(FLAGS).flatMap((file) => /^([A-Z]{2})\.svg$/.exec(file)?.[1] ?? []);
  return new Map(codes.map((code) => [code, readFileSync(join(FLAGS, `${code}.svg`), 'utf8')]));
}

function marks() {
  const known = JSON.parse(readFileSync(new URL('brands.json', ICONS), 'utf8'));
  const names = new Set(Object.values(known).flatMap((brands) => Object.values(brands)));
  return new Map([...names].sort().map((name) => [name, ownMark(name) ?? svgOf(name)]));
}

/** Drawn here, because that of the set has a hundred times as many bytes. */
function ownMark(name) {
  const file = new URL(`own/${name}.svg`, ICONS);
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined;
}

/** Marks with colours are from one set; what it lacks is from another, in one colour. */
function svgOf(name) {
  const set = name.startsWith(SIMPLE) ? simpleIcons : logos;
  const { body, width = set.width, height = set.height } = set.icons[name.replace(SIMPLE, '')];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}">${body}</svg>`;
}

/** Whether a mark is black, so that it takes the colour of the text. */
function isDark(source) {
  const colors = [...source.matchAll(/#([0-9a-f]{6}|[0-9a-f]{3})\b/gi)].map(([, hex]) =>
    hex.length === 3 ? [...hex].map((digit) => digit + digit) : hex.match(/../g),
  );
  return colors.every((parts) => parts.every((part) => parseInt(part, 16) < 64));
}
