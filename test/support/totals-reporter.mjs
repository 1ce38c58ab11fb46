import { appendFileSync } from 'node:fs';

/** Keeps how many tests passed and failed, for the line that ends all runs together. */
export default class TotalsReporter {
  onRunComplete(_, { numPassedTests, numFailedTests, numFailedTestSuites, numRuntimeErrorTestSuites }) {
    if (!process.env.TOTALS_FILE) return;
    const broken = numFailedTests === 0 ? Math.max(numFailedTestSuites, numRuntimeErrorTestSuites) : 0;
    appendFileSync(process.env.TOTALS_FILE, `${numPassedTests} ${numFailedTests + broken}\n`);
  }
}
