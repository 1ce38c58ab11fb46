import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Child } from './child';
import { DrivenPage } from './driven-page';
import { freePort } from './free-port';
import { PATIENCE_MS } from './until';
import { untilOpen } from './until-open';

/** The system's WebKit in the MiniBrowser of its driver, by WebDriver, on a display that nobody sees. */
export class WebKit {
  /** The driver has one session at a time. */
  private session: string | undefined;

  private constructor(
    private readonly address: string,
    private readonly programs: Child[],
    private readonly folder: string,
  ) {}

  static async open(): Promise<WebKit> {
    const folder = mkdtempSync(join(tmpdir(), 'milepost-webkit-'));
    const options = { env: { PATH: process.env.PATH, HOME: folder }, detached: true };
    // Without `-noreset`, Xvfb refuses a browser that starts just when the one before it has ended.
    const screen = ['-displayfd', '1', '-screen', '0', '1400x1000x24', '-nolisten', 'tcp', '-noreset'];
    const xvfb = new Child('Xvfb', screen, options);
    const [, display] = await xvfb.prints(/^(\d+)\n/);
    const port = await freePort();
    const driver = new Child(process.env.WEBKIT_DRIVER!, [`--port=${port}`], {
      ...options,
      env: { ...options.env, LANGUAGE: 'en_US', DISPLAY: `:${display}` },
    });
    await untilOpen(port);
    return new WebKit(`http://127.0.0.1:${port}/session`, [driver, xvfb], folder);
  }

  /** A page of a new browser, without what pages before have stored. */
  async newPage(): Promise<DrivenPage> {
    await this.closePages();
    const { sessionId } = (await ask('POST', this.address, { capabilities: {} })) as { sessionId: string };
    this.session = `${this.address}/${sessionId}`;
    return new WebKitPage(this.session);
  }

  async closePages(): Promise<void> {
    if (this.session) await ask('DELETE', this.session);
    this.session = undefined;
  }

  async close(): Promise<void> {
    await this.closePages();
    for (const program of this.programs) await program.stop('SIGKILL');
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 50, retryDelay: 100 });
  }
}

class WebKitPage extends DrivenPage {
  constructor(private readonly session: string) {
    super();
  }

  goto(url: string): Promise<unknown> {
    return ask('POST', `${this.session}/url`, { url });
  }

  setViewportSize(size: { width: number; height: number }): Promise<unknown> {
    return ask('POST', `${this.session}/window/rect`, size);
  }

  evaluate(expression: string): Promise<unknown> {
    return ask('POST', `${this.session}/execute/sync`, { script: `return (${expression})`, args: [] });
  }

  protected perform(actions: object[]): Promise<unknown> {
    return ask('POST', `${this.session}/actions`, { actions });
  }
}

async function ask(method: 'POST' | 'DELETE', address: string, parameters?: object): Promise<unknown> {
  const body = parameters && JSON.stringify(parameters);
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const answer = await fetch(address, { method, signal, ...(body && { body }) }).catch((cause: unknown) => {
    throw new Error(`WebKit does not answer ${method} ${address} ${body}`, { cause });
  });
  const { value } = (await answer.json()) as { value: unknown };
  if (!answer.ok) throw new Error(JSON.stringify(value));
  return value;
}
