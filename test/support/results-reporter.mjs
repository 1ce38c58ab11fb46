import { writeFileSync } from 'node:fs';

/** Writes how each file of tests went, from which `test/run.mjs` adds up its runs. */
export default class ResultsReporter {
  files = [];

  onTestResult({ path, context }, { numPassingTests, numFailingTests, testExecError }) {
    this.files.push({
      suite: context.config.displayName.name,
      path,
      passed: numPassingTests,
      failed: Math.max(numFailingTests, testExecError ? 1 : 0),
    });
  }

  onRunComplete() {
    if (process.env.RESULTS_FILE) writeFileSync(process.env.RESULTS_FILE, JSON.stringify(this.files));
  }
}
