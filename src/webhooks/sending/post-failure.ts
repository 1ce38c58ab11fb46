/** An attempt without an answer. Its message is for the owner of the webhook and quotes no data. */
export class PostFailure extends Error {}

const WORDS: Record<string, string> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was closed without an answer',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the network cannot be reached',
  ENOTFOUND: 'the name has no address',
  EPIPE: 'the connection was closed without an answer',
  EPROTO: 'no TLS connection could be made',
  ETIMEDOUT: 'the host does not answer',
};

/** The reason in words, with the code. Other messages of the runtime name addresses. */
export function wordsOf(error: unknown): string {
  if (error instanceof PostFailure) return error.message;
  const code = codeOf(error);
  return `${WORDS[code] ?? 'the connection failed'} (${code})`;
}

/** Where several addresses were tried, the code is that of the first. */
export function codeOf(error: unknown): string {
  const { code, errors } = error as NodeJS.ErrnoException & { errors?: NodeJS.ErrnoException[] };
  const own = code ?? errors?.[0]?.code;
  return typeof own === 'string' && /^[A-Z0-9_]{1,64}$/.test(own) ? own : 'unknown';
}
