import { performance } from 'node:perf_hooks';
import { at, type HitQuery } from './asking';
import { type Server, table } from './service';

const TURNS = 5;

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

const QUERIES = [
  { words: 'by goal', dimensions: ['goal'] },
  { words: 'by goal and country', dimensions: ['goal', 'country'] },
  { words: 'by goal and page', dimensions: ['goal', 'page'] },
];

/** The time of queries by goal: of each goal alone, and of all together. */
export async function timeGoals(
  { address }: Server,
  key: string,
  range: [string, string],
  ask: (hitQuery: HitQuery) => Promise<unknown>,
): Promise<string> {
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
  const send = async (path: string, method = 'GET', body?: object) => {
    const answer = await fetch(`${address}/api/v1/websites${path}`, {
      ...{ method, headers },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(await answer.text());
    return (await answer.json()) as { data: { id: number } & { id: number }[] };
  };
  const goals = `/${(await send('')).data[0]!.id}/goals`;
  for (const { id } of (await send(`${goals}?per_page=100`)).data) await send(`${goals}/${id}`, 'DELETE');
  const time = async (dimensions: string[]) => {
    const metrics = ['conversions', 'converters', 'conversion_rate'];
    const turns: number[] = [];
    for (let turn = 0; turn < TURNS; turn++) {
      const since = performance.now();
      await ask({ body: { metrics, dimensions, range, per_page: 10 } });
      turns.push(performance.now() - since);
    }
    return Number(at(turns, 0.5));
  };
  const alone = QUERIES.map(() => ({ name: '', ms: 0 }));
  for (const one of GOALS) {
    const { id } = (await send(goals, 'POST', one)).data;
    for (const [index, { dimensions }] of QUERIES.entries()) {
      const ms = await time(dimensions);
      if (ms > alone[index]!.ms) alone[index] = { name: one.name, ms };
    }
    await send(`${goals}/${id}`, 'DELETE');
  }
  for (const one of GOALS) await send(goals, 'POST', one);
  const rows: (string | number)[][] = [];
  for (const [index, { words, dimensions }] of QUERIES.entries()) {
    const { name, ms } = alone[index]!;
    const all = await time(dimensions);
    rows.push([words, `${ms.toFixed(1)} (${name})`, all.toFixed(1), (all / ms).toFixed(1)]);
  }
  const head = ['query', 'the dearest goal alone, ms', `${GOALS.length} goals, ms`, 'times'];
  return table(head, rows);
}
