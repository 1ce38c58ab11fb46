/**
 * The meaning of a failure: the server is down or rejects all mail (`server`), may accept this message later, will
 * never accept it, or may have accepted it (`unknown`).
 */
type FailureKind = 'server' | 'later' | 'never' | 'unknown';

/** An error of nodemailer. */
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
    /** Whether the server gave no answer. */
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

/** A permanent refusal of the recipient or the message affects this report only; any other failure affects all. */
function beforeData(code: number | undefined, command: string | undefined): FailureKind {
  if (code === undefined || code === 421 || (command !== 'RCPT TO' && command !== 'DATA')) return 'server';
  return code >= 500 ? 'never' : 'later';
}

function afterData(code: number | undefined): FailureKind {
  if (code === undefined) return 'unknown';
  return code >= 500 ? 'never' : 'later';
}
