/** An unusable environment variable. Its message can be shown as it is. */
export class SettingError extends Error {
  constructor(variable: string, problem: string, others: SettingError[] = []) {
    super([`${variable}: ${problem}`, ...others.map(({ message }) => message)].join('\n'));
  }
}
