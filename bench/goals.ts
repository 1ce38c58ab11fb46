import { performance } from 'node:perf_hooks';
import { at, type HitQuery } from './asking';
import { type Server, table } from './service';

const TURNS = 3;

interface BenchGoal {
  name: string;
  filters: unknown[];
}

const goal = (name: string, ...filters: unknown[]): BenchGoal => ({ name, filters });
const numbers = (size: number) => Array.from({ length: size }, (_, index) => index);

/** Goals of all kinds, one of them that a tenth of the hits reach. */
const GOALS: BenchGoal[] = [
  goal('Pricing', ['is', 'page', ['/pricing']]),
  ...numbers(19).map((index) =>
    goal(`Page ${index}`, ['is', 'page', [`/docs/section-${index + 1}/page-${index + 1}`]]),
  ),
  ...numbers(15).map((index) => goal(`Section ${index}`, ['starts', 'page', [`/docs/section-${index}/`]])),
  goal('Search in the path', ['contains', 'page', ['-1']]),
  ...['signup', 'download', 'play', 'search'].map((name) => goal(`Event ${name}`, ['is', 'event', [name]])),
  ...['US', 'DE', 'GB', 'FR'].map((country) =>
    goal(`Signup in ${country}`, ['is', 'event', ['signup']], ['is', 'country', [country]]),
  ),
  ...['desktop', 'mobile'].map((device) =>
    goal(`Download by ${device}`, ['is', 'event', ['download']], ['is', 'device', [device]]),
  ),
  goal('Pricing or signup', [
    'or',
    [
      ['is', 'page', ['/pricing']],
      ['is', 'event', ['signup']],
    ],
  ]),
  goal('Reading', ['starts', 'page', ['/docs/']], ['is', 'event', [null]], ['is_not', 'country', ['US']]),
  goal('Signup after pricing', ['is', 'event', ['signup']], ['has_done', ['is', 'page', ['/pricing']]]),
  goal('By a campaign', ['is_not', 'campaign', [null]], ['is', 'event', ['signup']]),
];

/** Goals that nearly every hit reaches; each alone costs the same. */
const OF_NEARLY_ALL = numbers(50).map((index) =>
  goal(`Other than page ${index}`, ['is_not', 'page', [`/docs/section-${index + 1}/page-${index + 1}`]]),
);
const SETS = [
  { words: 'goals of all kinds', goals: GOALS, alone: GOALS },
  { words: 'goals of nearly every hit', goals: OF_NEARLY_ALL, alone: OF_NEARLY_ALL.slice(0, 2) },
];

const QUERIES = [
  { words: 'by goal', dimensions: ['goal'] },
  { words: 'by goal and country', dimensions: ['goal', 'country'] },
  { words: 'by goal and page', dimensions: ['goal', 'page'] },
];

function senderTo(address: string, key: string) {
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
  return async (path: string, method = 'GET', body?: object) => {
    const answer = await fetch(`${address}/api/v1/websites${path}`, {
      ...{ method, headers },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(await answer.text());
    return (await answer.json()) as { data: { id: number } & { id: number }[] };
  };
}

/** The time of queries by goal, of each goal alone and of all together, and of funnels and journeys beside a query of visits. */
export async function timeGoals(
  { address }: Server,
  key: string,
  range: [string, string],
  ask: (hitQuery: HitQuery) => Promise<unknown>,
): Promise<string> {
  const send = senderTo(address, key);
  const website = `/${(await send('')).data[0]!.id}`;
  const path = `${website}/goals`;
  const removeAll = async (list: string) => {
    for (const { id } of (await send(`${list}?per_page=100`)).data) await send(`${list}/${id}`, 'DELETE');
  };
  const clear = () => removeAll(path);
  // That of the demonstration has a goal as a step.
  await removeAll(`${website}/funnels`);
  const time = async (hitQuery: HitQuery) => {
    const turns: number[] = [];
    for (let turn = 0; turn < TURNS; turn++) {
      const since = performance.now();
      const isAnswered = await ask(hitQuery).then(() => true, isNotTooLong);
      turns.push(isAnswered ? performance.now() - since : Infinity);
    }
    return Number(at(turns, 0.5));
  };
  const metrics = ['conversions', 'converters', 'conversion_rate'];
  const timeBy = (dimensions: string[]) => time({ body: { metrics, dimensions, range, per_page: 10 } });
  const rows: string[][] = [];
  for (const { words: kind, goals, alone } of SETS) {
    const dearest = QUERIES.map(() => ({ name: '', ms: 0 }));
    for (const one of alone) {
      await clear();
      await send(path, 'POST', one);
      for (const [index, { dimensions }] of QUERIES.entries()) {
        const ms = await timeBy(dimensions);
        if (ms > dearest[index]!.ms) dearest[index] = { name: one.name, ms };
      }
    }
    await clear();
    for (const one of goals) await send(path, 'POST', one);
    for (const [index, { words, dimensions }] of QUERIES.entries()) {
      const { name, ms } = dearest[index]!;
      const all = await timeBy(dimensions);
      rows.push([
        `${words}, ${goals.length} ${kind}`,
        `${millisecondsText(ms)} (${name})`,
        millisecondsText(all),
        times(all, ms),
      ]);
      process.stderr.write(`${rows.at(-1)!.join(', ')}\n`);
    }
  }
  await clear();
  const head = ['query', 'the dearest goal alone, ms', 'all goals, ms', 'times'];
  return [table(head, rows), '', await timeWalks(range, time)].join('\n');
}

const STEPS = [
  { name: 'Any page', filters: [['is', 'event', [null]]] },
  { name: 'Pricing', filters: [['is', 'page', ['/pricing']]] },
  { name: 'Signup', filters: [['is', 'event', ['signup']]] },
];
const WALKS: { words: string; body: object; route: 'funnel' | 'journey' }[] = [
  { words: 'A funnel of later hits in a day', body: { steps: STEPS, within: 'day' }, route: 'funnel' },
  {
    words: 'A funnel of next hits in a visit',
    body: { steps: STEPS.slice(1), order: 'strict', within: 'visit' },
    route: 'funnel',
  },
  { words: 'A journey from the entry', body: { from: 'entry' }, route: 'journey' },
];

async function timeWalks(
  range: [string, string],
  time: (hitQuery: HitQuery) => Promise<number>,
): Promise<string> {
  const visits = await time({
    body: { metrics: ['visits'], dimensions: ['entry_page'], range, per_page: 10 },
  });
  const rows: string[][] = [['Visits by entry page', millisecondsText(visits), times(visits, visits)]];
  for (const { words, body, route } of WALKS) {
    const walk = await time({ body: { ...body, range }, route });
    rows.push([words, millisecondsText(walk), times(walk, visits)]);
  }
  return table(['query', 'ms', 'times'], rows);
}

function isNotTooLong(error: Error): false {
  if (error.message.includes('question_too_long')) return false;
  throw error;
}

function millisecondsText(ms: number): string {
  return ms === Infinity ? 'too long' : ms.toFixed(1);
}

function times(one: number, other: number): string {
  return one === Infinity ? '' : (one / other).toFixed(1);
}
