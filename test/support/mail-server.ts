import { EventEmitter, once } from 'node:events';
import type { AddressInfo } from 'node:net';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

export interface Received {
  from: string;
  to: string[];
  raw: string;
  mail: Email;
}

/** A private mail server, and the messages that it accepted. */
export class MailServer extends EventEmitter {
  readonly received: Received[] = [];
  /** How it treats a recipient, and whether it answers messages. */
  readonly hooks: { onRcptTo?: (() => void) | undefined; answersData: boolean } = { answersData: true };
  accepted = 0;
  /** For more messages than the test reads. */
  keepsNothing = false;
  private server: SMTPServer | undefined;
  private port = 0;

  constructor(private readonly options: SMTPServerOptions = {}) {
    super();
  }

  get url(): string {
    return `smtp://127.0.0.1:${this.port}`;
  }

  /** Reuses its port after a restart. */
  async start(): Promise<this> {
    const { options } = this;
    this.server = new SMTPServer({
      authOptional: true,
      disableReverseLookup: true,
      hideSTARTTLS: true,
      onData: (stream, session, answer) => {
        const parts: Buffer[] = [];
        stream.on('data', (part: Buffer) => parts.push(part));
        stream.on('end', () => {
          void this.keep(Buffer.concat(parts), session.envelope).then(
            () => this.hooks.answersData && answer(),
          );
        });
      },
      onRcptTo: (_, __, answer) => (this.hooks.onRcptTo ?? answer)(),
      ...options,
    });
    this.server.on('error', () => undefined);
    this.server.listen(this.port, '127.0.0.1');
    await once(this.server.server, 'listening');
    this.port = (this.server.server.address() as AddressInfo).port;
    return this;
  }

  /** The server may have been stopped already. */
  stop(): Promise<void> {
    return new Promise((resolve) => {
      if (!this.server?.server.listening) return resolve();
      this.server.close(() => resolve());
      this.dropConnections();
    });
  }

  dropConnections(): void {
    for (const connection of this.server!.connections) connection.close();
  }

  /** Waits until this number of messages were accepted. */
  async untilReceived(count: number): Promise<void> {
    while (this.received.length < count) await once(this, 'received');
  }

  private async keep(message: Buffer, { mailFrom, rcptTo }: Envelope): Promise<void> {
    this.accepted++;
    if (this.keepsNothing) return;
    const mail = await PostalMime.parse(message);
    const from = mailFrom ? mailFrom.address : '';
    this.received.push({ from, to: rcptTo.map(({ address }) => address), raw: message.toString(), mail });
    this.emit('received');
  }
}

type Envelope = { mailFrom: { address: string } | false; rcptTo: { address: string }[] };
