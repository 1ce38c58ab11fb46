/**
 * What a failure means for a message: the server is away or wants nobody's mail; it may take this one later; it never
 * will; or nobody can tell whether it took it.
 */
type FailureKind = 'server' | 'later' | 'never' | 'unknown';

/** As nodemailer tells it. */
interface SmtpError extends Error {
  responseCode?: number;
  command?: string;
}

const CONTROLS = /\p{Cc}+/gu;
const MAX_LENGTH = 250;

export class SendFailure extends Error {
  constructor(
    readonly kind: FailureKind,
    reason: string,
    /** Whether it is no answer of the server. */
    readonly isSilent: boolean,
  ) {
    super([...reason.toWellFormed().replaceAll(CONTROLS, ' ').trim()].slice(0, MAX_LENGTH).join(''));
  }
}

export function asFailure(error: unknown, when: 'before data' | 'after data'): SendFailure {
  if (error instanceof SendFailure) return error;
  const { responseCode, command, message } = error as SmtpError;
  const kind = when === 'after data' ? afterData(responseCode) : beforeData(responseCode, command);
  return new SendFailure(kind, message || 'the server does not answer', responseCode === undefined);
}

/** A final refusal of the recipient or of the message concerns this report alone; all else does every report. */
function beforeData(code: number | undefined, command: string | undefined): FailureKind {
  if (code === undefined || code === 421 || (command !== 'RCPT TO' && command !== 'DATA')) return 'server';
  return code >= 500 ? 'never' : 'later';
}

function afterData(code: number | undefined): FailureKind {
  if (code === undefined) return 'unknown';
  return code >= 500 ? 'never' : 'later';
}
