import { writeFileSync } from 'node:fs';

/** Writes the result and the duration of each test file, for `test/run.mjs`. */
export default class ResultsReporter {
  files = [];

  onTestResult(
    { path, context },
    { numPassingTests, numPendingTests, testExecError, testResults, perfStats },
  ) {
    this.files.push({
      suite: context.config.displayName.name,
      path,
      passed: numPassingTests,
      skipped: numPendingTests,
      failures: testExecError
        ? ['the file itself']
        : testResults.filter(({ status }) => status === 'failed').map(({ fullName }) => fullName),
      milliseconds: perfStats.end - perfStats.start,
    });
  }

  onRunComplete() {
    if (process.env.RESULTS_FILE) writeFileSync(process.env.RESULTS_FILE, JSON.stringify(this.files));
  }
}
