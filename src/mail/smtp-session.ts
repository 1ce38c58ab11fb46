import { Readable } from 'node:stream';
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import { TimeoutError } from '../../engine/ground/time/timeout';
import type { Settings, SmtpServer } from '../config/settings';
import { asFailure, SendFailure, type Stage } from './send-failure';

interface Envelope {
  from: string;
  to: string;
}

const CONNECT_PATIENCE_MS = 20_000;
/** Until the server requests the message. Bytes that trickle in do not extend it. */
const ENVELOPE_PATIENCE_MS = 60_000;
/** RFC 5321 (4.5.3.2.6) advises ten minutes, for far larger messages. */
const DATA_PATIENCE_MS = 120_000;
/** How long the service waits at shutdown for a message in transfer. */
const DATA_GRACE_MS = 3000;
const MAX_RESPONSE_BYTES = 16 * 1024;
const SILENT = 'the server did not answer about this recipient before';

/** Tells whether mails can be sent. */
export function hasMailServer({ smtp, mailFrom }: Settings): boolean {
  return smtp !== undefined && mailFrom !== undefined;
}

/** A connection to the mail server, opened on demand, which sends one message after the other. */
export class SmtpSession {
  private connection: SMTPConnection | undefined;
  private isFresh = true;
  /** Recipients about whom the server was silent. It is not asked about them again. */
  private readonly avoided = new Set<string>();

  constructor(
    private readonly server: SmtpServer,
    private readonly signal?: AbortSignal,
  ) {}

  /** Tells whether the service is stopping; no new message is begun then. */
  get isStopped(): boolean {
    return this.signal?.aborted ?? false;
  }

  /** Connects and signs in, without sending anything. */
  async open(): Promise<SMTPConnection> {
    if (this.connection) return this.connection;
    const connection = new SMTPConnection(optionsOf(this.server));
    // The waiting caller's callback gets the error; without a listener, the event would end the process.
    connection.on('error', () => undefined);
    connection.once('end', () => this.forget(connection));
    this.connection = connection;
    this.isFresh = true;
    try {
      await this.withDeadline(ENVELOPE_PATIENCE_MS, () => connect(connection, this.server));
      return connection;
    } catch (error) {
      this.close();
      throw asFailure(error, 'before the sender');
    }
  }

  /**
   * Sends a message. Once the server requests it, `beforeData` is awaited; if that fails, nothing is sent. After that,
   * the server may have the message, until it answers.
   */
  async send(envelope: Envelope, message: Buffer, beforeData: () => Promise<void>): Promise<void> {
    if (this.avoided.has(envelope.to)) throw new SendFailure('silent', SILENT, true, envelope.to);
    const connection = await this.open();
    const wasUsed = !this.isFresh;
    this.isFresh = false;
    const transfer = new Transfer(connection, envelope, message, beforeData);
    try {
      await this.withDeadline(ENVELOPE_PATIENCE_MS, () => transfer.waitForRequest());
      await this.withDeadline(DATA_PATIENCE_MS, () => transfer.waitForAnswer(), DATA_GRACE_MS);
    } catch (error) {
      // The state of the connection is unknown.
      this.close();
      const failure = transfer.failureOf(error);
      // A server may end an idle connection at any moment.
      const wasIdle = wasUsed && failure instanceof SendFailure && failure.isSilent;
      if (wasIdle && transfer.stage === 'before the sender' && !this.isStopped)
        return this.send(envelope, message, beforeData);
      if (failure instanceof SendFailure && failure.kind === 'silent') this.avoided.add(envelope.to);
      throw failure;
    }
  }

  close(): void {
    this.connection?.close();
    this.connection = undefined;
  }

  private forget(connection: SMTPConnection): void {
    if (this.connection === connection) this.connection = undefined;
  }

  private async withDeadline<T>(milliseconds: number, work: () => Promise<T>, graceMs = 0): Promise<T> {
    const timers: NodeJS.Timeout[] = [];
    let leave = () => {};
    const ended = new Promise<never>((_, reject) => {
      const endIn = (ms: number, reason: string) =>
        timers.push(setTimeout(() => reject(new TimeoutError(reason)), ms));
      endIn(milliseconds, 'the server does not answer in time');
      leave = () => endIn(graceMs, 'the service is stopping');
      this.signal?.addEventListener('abort', leave, { once: true });
      if (this.isStopped) leave();
    });
    try {
      return await Promise.race([work(), ended]);
    } finally {
      timers.forEach(clearTimeout);
      this.signal?.removeEventListener('abort', leave);
    }
  }
}

/** The transfer of one message. */
class Transfer {
  /** Tells whether any part of the message may have been sent. */
  private began = false;
  private refusal: unknown;
  private readonly requested: Promise<void>;
  private readonly answered: Promise<void>;

  constructor(
    private readonly connection: SMTPConnection,
    private readonly envelope: Envelope,
    message: Buffer,
    beforeData: () => Promise<void>,
  ) {
    let ask: () => void;
    const asking = new Promise<void>((resolve) => (ask = resolve));
    const body = Readable.from(
      this.parts(message, () => {
        ask();
        return beforeData();
      }),
    );
    connection.lastServerResponse = false;
    this.answered = new Promise((resolve, reject) => {
      // Its recipients become a list there.
      connection.send({ ...envelope }, body, (error) => (error ? reject(error) : resolve()));
    });
    this.requested = Promise.race([asking, this.answered]);
  }

  /** The server answers the sender first. */
  get stage(): Stage {
    if (this.began) return 'after data';
    return /^2/.test(this.connection.lastServerResponse || '') ? 'before data' : 'before the sender';
  }

  waitForRequest(): Promise<void> {
    return this.requested;
  }

  waitForAnswer(): Promise<void> {
    return this.answered;
  }

  /** A refusal by the caller is rethrown unchanged. */
  failureOf(error: unknown): unknown {
    this.answered.catch(() => undefined);
    return this.refusal ?? asFailure(error, this.stage, this.envelope.to);
  }

  private async *parts(message: Buffer, beforeData: () => Promise<void>): AsyncGenerator<Buffer> {
    try {
      await beforeData();
    } catch (error) {
      this.refusal = error;
      throw error;
    }
    this.began = true;
    yield message;
  }
}

function optionsOf({ host, port, tls }: SmtpServer) {
  return {
    host,
    port,
    secure: tls === 'implicit',
    requireTLS: tls === 'required',
    ignoreTLS: tls === 'unused',
    connectionTimeout: CONNECT_PATIENCE_MS,
    greetingTimeout: CONNECT_PATIENCE_MS,
    socketTimeout: DATA_PATIENCE_MS,
    socketCloseTimeout: 0,
    maxResponseSize: MAX_RESPONSE_BYTES,
    allowInternalNetworkInterfaces: true,
  };
}

function connect(connection: SMTPConnection, { login }: SmtpServer): Promise<void> {
  return new Promise((resolve, reject) => {
    connection.once('error', reject);
    connection.connect((problem) => {
      if (problem) return reject(problem);
      if (!login) return resolve();
      const { user, password: pass } = login;
      connection.login({ user, pass }, (refusal) => (refusal ? reject(refusal) : resolve()));
    });
  });
}
