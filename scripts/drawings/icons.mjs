import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const require = createRequire(import.meta.url);
const FLAGS = join(dirname(require.resolve('country-flag-icons/package.json')), '3x2');
const ICONS = new URL('../../web/src/statistics/icons/', import.meta.url);
const logos = require('@iconify-json/logos/icons.json');
const simpleIcons = require('@iconify-json/simple-icons/icons.json');
const SIMPLE = 'simple-';

/** The flags by the code of their country. */
export function flags() {
  const codes = readdirSync(FLAGS).flatMap((file) => /^([A-Z]{2})\.svg$/.exec(file)?.[1] ?? []);
  return codes.map((code) => [code, readFileSync(join(FLAGS, `${code}.svg`), 'utf8')]);
}

/** The marks of `brands.json` by their name. */
export function marks() {
  const known = JSON.parse(readFileSync(new URL('brands.json', ICONS), 'utf8'));
  const names = new Set(Object.values(known).flatMap((brands) => Object.values(brands)));
  return [...names].sort().map((name) => [name, ownMark(name) ?? svgOf(name)]);
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
