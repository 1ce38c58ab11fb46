import { AsyncLocalStorage } from 'node:async_hooks';
import { appendFileSync } from 'node:fs';
import vm from 'node:vm';
import { LegacyFakeTimers, ModernFakeTimers } from '@jest/fake-timers';
import { ModuleMocker } from 'jest-mock';
import { keptGlobals } from './runtime.mjs';

/** Jest compiles in the context of the environment; this object represents the process's own. */
const OF_THE_PROCESS = {};
const { compileFunction } = vm;
vm.compileFunction = (code, parameters, { parsingContext, ...options }) =>
  compileFunction(
    code,
    parameters,
    parsingContext === OF_THE_PROCESS ? options : { ...options, parsingContext },
  );

/** Node.js 20 walks through all stores ever used for each promise, so those of past files are disabled. */
const usedStores = new Set();
for (const method of ['run', 'enterWith']) {
  const use = AsyncLocalStorage.prototype[method];
  AsyncLocalStorage.prototype[method] = function (...parameters) {
    usedStores.add(this);
    return use.apply(this, parameters);
  };
}

/** jest repeats a file in silence if its process ended with an error, which would hide a failure by chance. */
let running;
process.on('exit', (code) => {
  const { BROKEN_OFF_FILE } = process.env;
  if (code !== 0 && running && BROKEN_OFF_FILE) appendFileSync(BROKEN_OFF_FILE, `${running}\n`);
});

const timerConfig = { idToRef: (id) => id, refToId: (timer) => timer };

/** Runs test files in the context of their process, which also contains the packages loaded by `runtime.mjs`. */
export default class OneContext {
  global = globalThis;
  moduleMocker = new ModuleMocker(globalThis);
  console = console;
  exit = process.exit;
  names = new Set(Object.keys(globalThis));

  constructor({ projectConfig }, { testPath }) {
    running = `${projectConfig.displayName.name} ${testPath}`;
    Object.assign(globalThis, projectConfig.globals);
    const timers = { config: projectConfig, global: globalThis };
    this.fakeTimers = new LegacyFakeTimers({ ...timers, moduleMocker: this.moduleMocker, timerConfig });
    this.fakeTimersModern = new ModernFakeTimers(timers);
  }

  async setup() {}

  async teardown() {
    running = undefined;
    this.fakeTimersModern.dispose();
    this.moduleMocker.restoreAllMocks();
    for (const store of usedStores) store.disable();
    usedStores.clear();
    for (const name of Object.keys(globalThis))
      if (!this.names.has(name) && !keptGlobals.has(name)) delete globalThis[name];
    globalThis.console = this.console;
    process.exit = this.exit;
  }

  exportConditions() {
    return ['node', 'node-addons'];
  }

  getVmContext() {
    return OF_THE_PROCESS;
  }
}
