import { Milepost } from '../../clients/typescript/src/index';
import { untilCounted } from './counted';
import { InFront } from './in-front';
import { FIRST_KEY, startApp, type TestApp } from './test-app';

const RANGE = { from: '1970-01-01', to: '9999-12-31' };
const AGENT = 'Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0';

/** A service, a caller of it, and servers that stand before it, for a file of tests. */
export class ClientTests {
  service!: TestApp;
  milepost!: Milepost;
  readonly front = new InFront(() => this.service.address);

  /** To be called outside of any test. */
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

/** An event of a page as a server sends it. */
export const eventOf = (domain: string, path: number | string) => ({
  url: `https://${domain}/${path}`,
  ip: '203.0.113.7',
  user_agent: AGENT,
});

/** What a call fails with; undefined where it does not. */
export const errorOf = (requested: Promise<unknown>): Promise<any> =>
  requested.then(
    () => undefined,
    (error: unknown) => error,
  );
