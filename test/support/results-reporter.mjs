import { writeFileSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';

const MAX_REASON = 200;

/** Tells a failure in one line, where the log is long or cut. */
function oneLine(name, [message = '']) {
  const reason = stripVTControlCharacters(message.split('\n    at ')[0]).replace(/\s+/g, ' ').trim();
  return `${name}: ${reason.slice(0, MAX_REASON)}`;
}

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
        ? [oneLine('the file itself', [testExecError.message])]
        : testResults
            .filter(({ status }) => status === 'failed')
            .map(({ fullName, failureMessages }) => oneLine(fullName, failureMessages)),
      milliseconds: perfStats.end - perfStats.start,
    });
  }

  onRunComplete() {
    if (process.env.RESULTS_FILE) writeFileSync(process.env.RESULTS_FILE, JSON.stringify(this.files));
  }
}
