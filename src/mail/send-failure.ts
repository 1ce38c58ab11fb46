/**
 * The meaning of a failure: the server is down or rejects all mail (`server`), is silent about this recipient
 * (`silent`), may accept this message later, will never accept it, or may have accepted it (`unknown`).
 */
type FailureKind = 'server' | 'silent' | 'later' | 'never' | 'unknown';

/** How far the transfer of a message got. */
export type Stage = 'before the sender' | 'before data' | 'after data';

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
    /** Tells whether the server gave no answer. */
    readonly isSilent: boolean,
    readonly recipient?: string,
  ) {
    super([...reason.toWellFormed().replaceAll(CONTROLS, ' ').trim()].slice(0, MAX_LENGTH).join(''));
  }
}

export function asFailure(error: unknown, stage: Stage, recipient?: string): SendFailure {
  if (error instanceof SendFailure) return error;
  const { responseCode, command, message } = error as SmtpError;
  const kind = stage === 'after data' ? afterData(responseCode) : beforeData(responseCode, command, stage);
  const reason = message || 'the server does not answer';
  return new SendFailure(kind, reason, responseCode === undefined, recipient);
}

/** A refusal of the recipient or the message, and silence about them, affect this mail only; any other failure all. */
function beforeData(code: number | undefined, command: string | undefined, stage: Stage): FailureKind {
  if (code === undefined) return stage === 'before data' ? 'silent' : 'server';
  if (code === 421 || (command !== 'RCPT TO' && command !== 'DATA')) return 'server';
  return code >= 500 ? 'never' : 'later';
}

function afterData(code: number | undefined): FailureKind {
  if (code === undefined) return 'unknown';
  return code >= 500 ? 'never' : 'later';
}
