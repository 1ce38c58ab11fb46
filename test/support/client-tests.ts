import { Milepost } from '../../clients/typescript/src/index';
import { FIREFOX } from './agents';
import { untilCounted } from './counted';
import { InFront } from './in-front';
import { FIRST_KEY, startApp, type TestApp } from './test-app';

const RANGE = { from: '1970-01-01', to: '9999-12-31' };

/** A service, its client, and servers in front of it, for a test file. */
export class ClientTests {
  service!: TestApp;
  milepost!: Milepost;
  readonly front = new InFront(() => this.service.address);

  /** Call it outside of any test. */
  static prepare(): ClientTests {
    const tests = new ClientTests();
    beforeAll(() => tests.start());
    afterAll(() => tests.service.stop());
    afterEach(() => tests.front.close());
    return tests;
  }

  async websiteOf(domain: string): Promise<number> {
    return (await this.milepost.websites.create({ domain })).data.id;
  }

  async pageviews(id: number): Promise<number> {
    await untilCounted(this.service.api, id);
    return (await this.milepost.stats.list(id, { name: 'page', ...RANGE })).meta.sum;
  }

  private async start(): Promise<void> {
    this.service = await startApp();
    this.milepost = new Milepost({ url: `${this.service.address}/`, key: FIRST_KEY });
  }
}

/** A page's event as a server sends it. */
export const eventOf = (domain: string, path: number | string) => ({
  url: `https://${domain}/${path}`,
  ip: '203.0.113.7',
  user_agent: FIREFOX,
});

/** The error of a call; undefined if it succeeds. */
export const errorOf = (requested: Promise<unknown>): Promise<any> =>
  requested.then(
    () => undefined,
    (error: unknown) => error,
  );
