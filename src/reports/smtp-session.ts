import { Readable } from 'node:stream';
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import { TimeoutError } from '../common/time/timeout';
import type { SmtpServer } from '../config/settings';
import { asFailure, SendFailure } from './send-failure';

interface Envelope {
  from: string;
  to: string;
}

const CONNECT_PATIENCE_MS = 20_000;
/** Until the server asks for the message. A server that sends a byte now and then is not waited for any longer. */
const ENVELOPE_PATIENCE_MS = 60_000;
/** RFC 5321 (4.5.3.2.6) advises ten minutes, for messages that are larger by far. */
const DATA_PATIENCE_MS = 120_000;
/** How long a message that is on its way is still waited for when the service stops. */
const DATA_GRACE_MS = 3000;
const MAX_RESPONSE_BYTES = 16 * 1024;

/** A connection to the mail server, over which one message goes after the other. It is opened when there is one. */
export class SmtpSession {
  private connection: SMTPConnection | undefined;
  private isFresh = true;

  constructor(
    private readonly server: SmtpServer,
    private readonly signal?: AbortSignal,
  ) {}

  /** Whether the service stops, and no message is begun any more. */
  get isStopped(): boolean {
    return this.signal?.aborted ?? false;
  }

  /** Connects and signs in, without sending anything. */
  async open(): Promise<SMTPConnection> {
    if (this.connection) return this.connection;
    const connection = new SMTPConnection(optionsOf(this.server));
    // The callback of a waiting caller gets the error; without a listener, the event would end the process.
    connection.on('error', () => undefined);
    connection.once('end', () => this.forget(connection));
    this.connection = connection;
    this.isFresh = true;
    try {
      await this.withDeadline(ENVELOPE_PATIENCE_MS, () => connect(connection, this.server));
      return connection;
    } catch (error) {
      this.close();
      throw asFailure(error, 'before data');
    }
  }

  /**
   * Sends a message. `beforeData` is awaited once the server asks for it, and nothing of it is sent where that fails:
   * from then on, nobody can tell whether the server has it, until it answers.
   */
  async send(envelope: Envelope, message: Buffer, beforeData: () => Promise<void>): Promise<void> {
    const connection = await this.open();
    const wasUsed = !this.isFresh;
    this.isFresh = false;
    const transfer = new Transfer(connection, envelope, message, beforeData);
    try {
      await this.withDeadline(ENVELOPE_PATIENCE_MS, () => transfer.waitForRequest());
      await this.withDeadline(DATA_PATIENCE_MS, () => transfer.waitForAnswer(), DATA_GRACE_MS);
    } catch (error) {
      // What the server makes of the next command is not worth asking.
      this.close();
      const failure = transfer.failureOf(error);
      // A server may end a connection that was idle, at any moment.
      const wasIdle = wasUsed && failure instanceof SendFailure && failure.isSilent;
      if (wasIdle && !transfer.began && !this.isStopped) return this.send(envelope, message, beforeData);
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

/** One message on its way. */
class Transfer {
  /** Whether any of the message may have left. */
  began = false;
  private refusal: unknown;
  private readonly requested: Promise<void>;
  private readonly answered: Promise<void>;

  constructor(
    connection: SMTPConnection,
    envelope: Envelope,
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
    this.answered = new Promise((resolve, reject) => {
      connection.send(envelope, body, (error) => (error ? reject(error) : resolve()));
    });
    this.requested = Promise.race([asking, this.answered]);
  }

  waitForRequest(): Promise<void> {
    return this.requested;
  }

  waitForAnswer(): Promise<void> {
    return this.answered;
  }

  /** The reason that stopped the caller stays as it is. */
  failureOf(error: unknown): unknown {
    this.answered.catch(() => undefined);
    return this.refusal ?? asFailure(error, this.began ? 'after data' : 'before data');
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
