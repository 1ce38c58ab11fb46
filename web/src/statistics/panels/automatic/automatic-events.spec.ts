import type { QueriesAnswer } from '../../../shared/api';
import type { Filter } from '../../filters/filters';
import {
  AUTOMATIC_EVENTS,
  automaticEventsBy,
  automaticLists,
  automaticQuery,
  automaticWords,
} from './automatic-events';

const [outbound, downloads, , , scroll] = AUTOMATIC_EVENTS;
const events = (total: number, ...values: string[]) => ({
  entries: values.map((value) => ({ value, count: 1 })),
  total,
});
const idsOf = (automatic: readonly { id: string }[]) => automatic.map(({ id }) => id);

const SPAN = { from: '2026-11-20', to: '2026-11-21' };

it('are asked for if their events are listed, or if the list is cut', () => {
  expect(automaticEventsBy(undefined)).toEqual([]);
  expect(automaticEventsBy(events(2, 'buy', 'play'))).toEqual([]);
  expect(idsOf(automaticEventsBy(events(3, 'Scroll', 'buy', '404')))).toEqual(['not_found', 'scroll']);
  expect(automaticEventsBy(events(11, 'buy'))).toEqual(AUTOMATIC_EVENTS);
});

it('are asked for in one request, each of its own event', () => {
  const filters: Filter[] = [{ name: 'event', operator: 'is', values: ['buy'] }];
  const places = { ...{ stats: '', summary: '', query: '/query', values: '', live: '' }, headers: {} };
  const view = { filters, span: SPAN };
  expect(automaticQuery(places, view, [])).toBeUndefined();
  const { queries } = automaticQuery(places, view, [outbound!, scroll!])!.body as { queries: object[] };
  const done = ['has_done', ['is', 'event', ['buy']]];
  expect(queries).toMatchObject([
    { dimensions: ['event_property:url'], filters: [done, ['is', 'event', ['Outbound link']]], per_page: 10 },
    { dimensions: ['event_property:percent'], filters: [done, ['is', 'event', ['Scroll']]], per_page: 200 },
  ]);
});

it('have entries, and percents stand in their order', () => {
  const rows = (name: string, ...values: [value: string, events: number][]) => ({
    data: values.map(([value, count]) => ({ [name]: value, events: count, visitors: 1 })),
    meta: { total: values.length },
  });
  const answers = {
    data: [
      rows('event_property:url'),
      rows('event_property:url', ['https://b.example/', 2]),
      rows('event_property:percent', ['<b>', 9], ['100', 7], ['9', 5], ['1e2', 4], ['25', 3], ['', 1]),
    ],
  } as unknown as QueriesAnswer;
  const lists = automaticLists([outbound!, downloads!, scroll!], answers, SPAN, undefined);
  expect(lists.map(({ automatic, entries }) => [automatic.id, entries.map(({ value }) => value)])).toEqual([
    ['downloads', ['https://b.example/']],
    ['scroll', ['9', '25', '100', '<b>', '1e2', '']],
  ]);
  expect(lists[0]!.entries[0]).toMatchObject({ count: 2, visitors: 1 });
});

it('have short words for percents and addresses, and no marks that change what is read', () => {
  const words = ['5', '100', '-5', '<b>'].map((value) => automaticWords(scroll!, value));
  expect(words).toEqual(['5%', '100%', '-5', '<b>']);
  const addresses = ['https://a.example/', 'http://a.example/', 'a\u202Eb', '5'];
  expect(addresses.map((value) => automaticWords(outbound!, value))).toEqual([
    'a.example/',
    'http://a.example/',
    'a\uFFFDb',
    '5',
  ]);
});
