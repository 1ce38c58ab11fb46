import { connect, createServer, type Server, type Socket } from 'node:net';

type Matches = (statement: string, previous: string) => boolean;

interface Interference {
  matches: Matches;
  happen: (passage: Passage) => void;
}

/** A connection between a client and the server, when a statement is about to pass. */
interface Passage {
  client: Socket;
  server: Socket;
  pass: () => void;
}

const COMMAND_AT = 4;
const QUERY = 3;
/** MySQL 8 and newer: no attributes, in one set. On other servers the statement begins here. */
const NO_QUERY_ATTRIBUTES = Buffer.from([0, 1]);

/** A proxy before the MariaDB server that can delay statements or drop answers. */
export class DatabaseProxy {
  /** The delay of a statement. */
  delayMs: (statement: string) => number = () => 0;
  /** Called with each statement before it passes. */
  onStatement: (statement: string) => void = () => undefined;
  private readonly interferences: Interference[] = [];
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly target: URL,
    private readonly listener: Server,
  ) {
    listener.on('connection', (client) => this.relay(client));
  }

  static start(target: string): Promise<DatabaseProxy> {
    const listener = createServer();
    const proxy = new DatabaseProxy(new URL(target), listener);
    return new Promise((resolve) => listener.listen(0, '127.0.0.1', () => resolve(proxy)));
  }

  get url(): string {
    const url = new URL(this.target);
    url.port = String((this.listener.address() as { port: number }).port);
    return url.href;
  }

  /** Resolves when a matching statement arrives, with a function that lets it pass. */
  holdUp(matches: Matches): Promise<() => void> {
    return new Promise((resolve) => {
      this.interferences.push({ matches, happen: ({ pass }) => resolve(pass) });
    });
  }

  /** Lets a statement run, and cuts the connection before the client gets the answer. Resolves then. */
  loseAnswerTo(matches: Matches): Promise<void> {
    return new Promise((resolve) => {
      const happen = ({ client, server, pass }: Passage) => {
        server.removeAllListeners('data').once('data', () => {
          client.destroy();
          resolve();
        });
        pass();
      };
      this.interferences.push({ matches, happen });
    });
  }

  /** Cuts the connection before a statement reaches the server. */
  loseStatement(matches: Matches): Promise<void> {
    return new Promise((resolve) => {
      const happen = ({ client }: Passage) => {
        client.destroy();
        resolve();
      };
      this.interferences.push({ matches, happen });
    });
  }

  /** Cuts all connections, like the restart of a server. */
  cut(): void {
    for (const socket of this.sockets) socket.destroy();
    this.sockets.clear();
  }

  async stop(): Promise<void> {
    const closed = new Promise((resolve) => this.listener.close(resolve));
    this.cut();
    await closed;
  }

  /** The first matching interference, which is then used up. */
  private interferenceWith(statement: string, previous: string): Interference | undefined {
    const index = this.interferences.findIndex(({ matches }) => matches(statement, previous));
    return index < 0 ? undefined : this.interferences.splice(index, 1)[0];
  }

  private relay(client: Socket): void {
    const server = connect(Number(this.target.port), this.target.hostname);
    let previous = '';
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      this.sockets.add(socket.on('error', () => undefined));
      socket.on('close', () => other.destroy());
    }
    server.on('data', (answer) => client.write(answer));
    client.on('data', (request) => {
      const statement = statementIn(request);
      const delayMs = this.delayMs(statement ?? '');
      const pass = () => void setTimeout(() => server.write(request), delayMs);
      if (statement !== undefined) this.onStatement(statement);
      const interference = statement !== undefined && this.interferenceWith(statement, previous);
      if (interference) interference.happen({ client, server, pass });
      else pass();
      previous = statement ?? previous;
    });
  }
}

/** A client waits for each answer, so its request begins with the statement. */
function statementIn(request: Buffer): string | undefined {
  if (request[COMMAND_AT] !== QUERY) return undefined;
  const behindCommand = request.subarray(COMMAND_AT + 1, COMMAND_AT + 200);
  const hasAttributes = behindCommand.subarray(0, 2).equals(NO_QUERY_ATTRIBUTES);
  return behindCommand.toString('latin1', hasAttributes ? 2 : 0);
}
