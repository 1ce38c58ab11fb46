import { createRequire, isBuiltin } from 'node:module';
import JestRuntime from 'jest-runtime';

const requires = new Map();

/** Jest requires this file, and looks for its default export where it has this one. */
export const __esModule = true;

/** Lets Node.js load packages, once for all files of tests that a process runs; jest loads what the project has. */
export default class Runtime extends JestRuntime {
  requireModuleOrMock(from, name) {
    const isPackage = /^[^./]/.test(name) && !isBuiltin(name) && !name.startsWith('@jest/');
    return isPackage ? requireOf(from)(name) : super.requireModuleOrMock(from, name);
  }
}

function requireOf(file) {
  if (!requires.has(file)) requires.set(file, createRequire(file));
  return requires.get(file);
}
