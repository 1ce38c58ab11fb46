import { textAt } from '../../src/common/text-list';
import { Settings } from '../../src/config/settings';
import type { ColumnLimits } from '../../src/counting/untold-days';
import { QuestionAnswering } from '../../src/stats/questions/answering';
import { Zone } from '../../src/stats/questions/buckets';
import { ColumnCache } from '../../src/stats/questions/column-cache';
import type { Portion } from '../../src/stats/questions/portions';
import type { Question, QuestionResult } from '../../src/stats/questions/question';
import { type Asking, QueryThread } from '../../src/stats/threads/query-thread';
import type { PortionOffer } from '../../src/stats/threads/thread-messages';
import { memoryOfThreads } from '../../src/stats/questions/working-memory';
import { owner } from '../../src/stats/viewer';
import type { Hit } from '../../src/storage/hit';
import { CountingProcess, pageView, TODAY } from '../support/counting';
import { type FreshDatabase, freshDatabase } from '../support/fresh-database';

const WEBSITE = 1;
const DAYS = 6;
const DAY_S = 86_400;
/** Each day is in a part of its own. */
const APART: ColumnLimits = { merge: { hits: 0, textBytes: 1_000_000, bytesAtOnce: 1_000_000 } };

let database: FreshDatabase;
let process: CountingProcess;
beforeAll(async () => {
  database = await freshDatabase();
  process = await CountingProcess.start(database.url);
  await process.register(WEBSITE);
  for (let day = TODAY - DAYS; day <= TODAY; day++) await count(...hitsOf(day));
  await process.closeDays(WEBSITE, TODAY, APART);
});
afterAll(async () => {
  await process.stop();
  await database.drop();
});

async function count(...hits: Hit[]): Promise<void> {
  await process.accept(WEBSITE, ...hits);
  await process.endLeases();
  const folder = (await process.folderOf(WEBSITE))!;
  while ((await folder.foldSome()) > 0);
  await folder.lease.release();
}

/** One page that is on all days, one that is on this day alone, and a sale in one of several currencies. */
function hitsOf(day: number): Hit[] {
  const at = DAY_S * day;
  const [first, second] = [pageView('/', 'a'), pageView(`/${day}`, 'b')];
  const sale = { event: 'sale', value: `${day}0000`, currency: day % 2 === 0 ? 'EUR' : 'USD' };
  return [first, second, { ...pageView('/', 'a'), ...sale }].map((hit) => ({ ...hit, at, day }));
}

const question = (asked: Partial<Question>): Question => ({
  range: { days: { from: TODAY - 2, to: TODAY } },
  previous: { days: { from: TODAY - DAYS, to: TODAY - 3 } },
  filter: undefined,
  dimensions: [],
  metrics: ['visitors', 'pageviews', 'events', 'visits', 'value_high', 'value_low', 'value_currency'],
  fill: false,
  order: [],
  skip: 0,
  take: 100,
  ...asked,
});
const questions = [
  question({}),
  question({ dimensions: ['page'] }),
  question({ dimensions: ['day', 'page'] }),
  question({ dimensions: ['currency'] }),
  question({ dimensions: ['referrer', 'entry_page'], metrics: ['visitors'] }),
  question({ filter: { kind: 'test', name: 'page', test: 'is', values: [`/${TODAY - 4}`, '/'] } }),
];

/** As text, without the moment at which it was true. */
function wordsOf({ answers }: QuestionResult) {
  return answers.map(({ rows: { dimensions, metrics, previous }, ...further }) => ({
    ...further,
    dimensions: dimensions.map((own) => Array.from(own.ends, (_, row) => textAt(own, row))),
    metrics: [...metrics, ...previous].map((counts) => [...counts]),
  }));
}

describe('a question that is shared between threads', () => {
  let threads: QueryThread[];
  let alone: unknown;
  beforeAll(async () => {
    const { database: address } = new Settings({ DATABASE_URL: database.url });
    const memories = memoryOfThreads(4);
    threads = [Infinity, 0, 0, 0].map((leastShared, index) => {
      const limits = { cacheMb: 128, newValuesPerDay: 250_000, threads: 3 };
      const shared = { address, timezone: 'UTC', ...limits, lane: 'scanning' as const };
      return new QueryThread({ ...shared, leastShared, memory: memories[index]! });
    });
    alone = await asked(threads[0]!, () => {
      throw new Error('nothing is to be shared');
    });
  });
  afterAll(() => Promise.all(threads.map((thread) => thread.stop())));

  async function asked(thread: QueryThread, share: Asking['share']): Promise<unknown> {
    const request = { viewer: owner(1), websiteId: WEBSITE, keptFrom: 0, questions };
    return wordsOf(await thread.ask('questions', request, { signal: undefined, share }));
  }

  /** Hands a portion to one of the other threads. */
  function sharing(): { share: (offer: PortionOffer) => void; scanned: Promise<void>[] } {
    const others = threads.slice(2);
    const scanned: Promise<void>[] = [];
    return { scanned, share: (offer) => void scanned.push(others.shift()!.scan(offer)) };
  }

  it('has the answer that one thread has', async () => {
    const { share, scanned } = sharing();
    const offers: PortionOffer[] = [];
    const answer = await asked(threads[1]!, (offer) => {
      offers.push(offer);
      share(offer);
    });
    await Promise.all(scanned);
    expect(answer).toEqual(alone);
    expect(offers.map(({ portion }) => portion.parts.length)).toEqual([DAYS / 3, DAYS / 3]);
    // The next one finds its texts.
    expect(await asked(threads[1]!, sharing().share)).toEqual(alone);
  });

  it('is answered where nobody takes what is offered, and nobody does it later', async () => {
    const offers: PortionOffer[] = [];
    expect(await asked(threads[1]!, (offer) => void offers.push(offer))).toEqual(alone);
    for (const offer of offers) await threads[2]!.scan(offer);
    expect(await asked(threads[1]!, ({ port }) => port.close())).toEqual(alone);
  });

  it.each(['before it begins', 'after it began'])(
    'is answered where the other thread ends %s',
    async (when) => {
      const others = threads.slice(2);
      const stopped: Promise<void>[] = [];
      const answer = await asked(threads[1]!, (offer) => {
        const other = others.shift()!;
        const stop = () => {
          if (when === 'after it began' && Atomics.load(offer.isTaken, 0) === 0) setImmediate(stop);
          else stopped.push(other.stop());
        };
        stopped.push(other.scan(offer));
        stop();
      });
      await Promise.all(stopped);
      expect(answer).toEqual(alone);
    },
  );

  it('is ended at its deadline where another thread has begun and does not answer', async () => {
    const { database: address } = new Settings({ DATABASE_URL: database.url });
    const data = {
      ...{
        address,
        timezone: 'UTC',
        cacheMb: 128,
        threads: 2,
        newValuesPerDay: 250_000,
        leastShared: 0,
        lane: 'scanning' as const,
      },
      memory: memoryOfThreads(1)[0]!,
    };
    const thread = new QueryThread(data, { patienceMs: 4000, ownTurnMs: 4000 });
    const begun: PortionOffer[] = [];
    const begin = (offer: PortionOffer) => {
      begun.push(offer);
      Atomics.store(offer.isTaken, 0, 1);
    };
    await expect(asked(thread, begin)).rejects.toMatchObject({ status: 503, code: 'question_too_long' });
    expect(begun).toHaveLength(1);
    await thread.stop();
  });

  it('gives up portions with many texts, and only those', async () => {
    const cache = new ColumnCache(1);
    const limits = { textBytes: 500, rows: { bytesOfOne: 1e6, bytesTogether: 1e6 }, filterBytes: 1e6 };
    const answering = new QuestionAnswering(process.database, cache, new Zone('UTC'), limits);
    const portions: Portion[] = [];
    await asked(threads[1]!, ({ portion, port }) => {
      portions.push(portion);
      port.close();
    });
    const scan = (own: Question[]) =>
      answering.scan({ ...portions[0]!, questions: own }, 10_000, () => undefined);
    expect(await scan(questions)).toBeUndefined();
    expect(await scan([question({ metrics: ['events'] })])).toBeDefined();
    expect(await scan(questions)).toBeUndefined();
  });

  it('is answered where days went to other parts before the other thread read them', async () => {
    const portions: Portion[] = [];
    const collect = ({ portion, port }: PortionOffer) => {
      portions.push(portion);
      port.close();
    };
    expect(await asked(threads[1]!, collect)).toEqual(alone);
    const answering = new QuestionAnswering(process.database, new ColumnCache(1), new Zone('UTC'));
    const scan = () => answering.scan(portions[0]!, 10_000, () => undefined);
    expect(await scan()).toBeDefined();
    // Days of few hits become larger chunks some days later.
    await process.execute('UPDATE closed_days SET due_at = 0');
    await process.closeDays(WEBSITE, TODAY);
    expect(await scan()).toBeUndefined();
    expect(await asked(threads[1]!, sharing().share)).toEqual(alone);
  });
});
