import { existsSync } from 'node:fs';
import { createRequire, isBuiltin } from 'node:module';
import { dirname, join, relative } from 'node:path';
import JestRuntime from 'jest-runtime';

const ROOT = join(import.meta.dirname, '../..');
const SOURCES = ['src/', 'engine/'].map((folder) => join(ROOT, folder));
const requires = new Map();

/** Jest requires this file, and expects a default export as in a transpiled module. */
export const __esModule = true;

/** Globals of packages and the service, which stay until the process ends. */
export const keptGlobals = new Set();

/** Lets Node.js load packages and the built service once for all test files of a process; jest loads the tests. */
export default class Runtime extends JestRuntime {
  requireModuleOrMock(from, name) {
    const isPackage = /^[^./]/.test(name) && !isBuiltin(name) && !name.startsWith('@jest/');
    const built = name.startsWith('.') ? builtOf(join(dirname(from), name)) : undefined;
    return isPackage || built ? loaded(from, built ?? name) : super.requireModuleOrMock(from, name);
  }
}

function builtOf(source) {
  const file = `${join(ROOT, 'dist', relative(ROOT, source))}.js`;
  return SOURCES.some((folder) => source.startsWith(folder)) && existsSync(file) ? file : undefined;
}

function loaded(from, name) {
  if (!requires.has(from)) requires.set(from, createRequire(from));
  const before = new Set(Object.keys(globalThis));
  const result = requires.get(from)(name);
  for (const global of Object.keys(globalThis)) if (!before.has(global)) keptGlobals.add(global);
  return result;
}
