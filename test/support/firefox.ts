import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { withTimeout } from '../../engine/ground/time/timeout';
import { Child } from './child';
import { DrivenPage } from './driven-page';
import { PATIENCE_MS } from './until';

/** Node.js 20 has web sockets behind an option, so a process of its own connects them to lines. */
const SOCKET_OPTION = '--experimental-websocket';
const LINES_OF_SOCKET = `
  const socket = new WebSocket(process.argv[1]);
  socket.onmessage = ({ data }) => console.log(data);
  socket.onclose = () => process.exit();
  socket.onopen = () =>
    require('node:readline').createInterface(process.stdin).on('line', (line) => socket.send(line));`;

interface Answer {
  id?: number;
  result?: unknown;
  message?: string;
}

/** The system's Firefox, by WebDriver BiDi. */
export class Firefox {
  private contexts: string[] = [];

  private constructor(
    private readonly connection: Connection,
    private readonly browser: Child,
    private readonly folder: string,
  ) {}

  static async open(): Promise<Firefox> {
    const folder = mkdtempSync(join(tmpdir(), 'milepost-firefox-'));
    const parameters = ['--headless', '--no-remote', '--profile', folder, '--remote-debugging-port=0'];
    const browser = new Child(process.env.FIREFOX!, parameters, {
      env: { PATH: process.env.PATH, HOME: folder, LANGUAGE: 'en_US', MOZ_CRASHREPORTER_DISABLE: '1' },
      detached: true,
    });
    const [, address] = await browser.tells(/WebDriver BiDi listening on (ws:\S+)/);
    const connection = new Connection(`${address}/session`);
    await connection.ask('session.new', { capabilities: {} });
    return new Firefox(connection, browser, folder);
  }

  /** A page without what other pages have stored. */
  async newPage(): Promise<DrivenPage> {
    const { userContext } = (await this.connection.ask('browser.createUserContext')) as {
      userContext: string;
    };
    this.contexts.push(userContext);
    const tab = { type: 'tab', userContext };
    const { context } = (await this.connection.ask('browsingContext.create', tab)) as { context: string };
    return new FirefoxPage(this.connection, context);
  }

  async closePages(): Promise<void> {
    for (const userContext of this.contexts.splice(0))
      await this.connection.ask('browser.removeUserContext', { userContext });
  }

  async close(): Promise<void> {
    await Promise.all([this.browser.stop('SIGKILL'), this.connection.end()]);
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 50, retryDelay: 100 });
  }
}

class FirefoxPage extends DrivenPage {
  constructor(
    private readonly connection: Connection,
    private readonly context: string,
  ) {
    super();
  }

  goto(url: string): Promise<unknown> {
    return this.ask('browsingContext.navigate', { url, wait: 'complete' });
  }

  setViewportSize(viewport: { width: number; height: number }): Promise<unknown> {
    return this.ask('browsingContext.setViewport', { viewport });
  }

  async evaluate(expression: string): Promise<unknown> {
    const answer = (await this.connection.ask('script.evaluate', {
      expression: `Promise.resolve(${expression}).then(JSON.stringify)`,
      target: { context: this.context },
      awaitPromise: true,
    })) as { result?: { value?: string }; exceptionDetails?: { text: string } };
    if (answer.exceptionDetails) throw new Error(answer.exceptionDetails.text);
    return answer.result?.value === undefined ? undefined : JSON.parse(answer.result.value);
  }

  protected perform(actions: object[]): Promise<unknown> {
    return this.ask('input.performActions', { actions });
  }

  private ask(method: string, parameters: object): Promise<unknown> {
    return this.connection.ask(method, { context: this.context, ...parameters });
  }
}

class Connection {
  private readonly bridge: ChildProcess;
  private readonly answers = new Map<number, (answer: Answer) => void>();
  private last = 0;

  constructor(address: string) {
    this.bridge = spawn(process.execPath, [SOCKET_OPTION, '-e', LINES_OF_SOCKET, address], {
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    createInterface(this.bridge.stdout!).on('line', (line) => {
      const answer = JSON.parse(line) as Answer;
      this.answers.get(answer.id ?? 0)?.(answer);
      this.answers.delete(answer.id ?? 0);
    });
  }

  async ask(method: string, params: object = {}): Promise<unknown> {
    const id = ++this.last;
    const command = JSON.stringify({ id, method, params });
    const answered = new Promise<Answer>((resolve) => this.answers.set(id, resolve));
    this.bridge.stdin!.write(`${command}\n`);
    const { result, message } = await withTimeout(PATIENCE_MS, answered).catch(() => {
      throw new Error(`Firefox does not answer ${command}`);
    });
    if (result === undefined) throw new Error(`${method}: ${message}`);
    return result;
  }

  async end(): Promise<void> {
    if (this.bridge.exitCode === null) await once(this.bridge, 'exit');
  }
}
