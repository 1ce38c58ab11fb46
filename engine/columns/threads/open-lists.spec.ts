import { Overloaded, Problem } from '../../ground/errors';
import { OpenLists } from './open-lists';
import { type Piece } from '../../questions/questions';

const LIMIT = { patienceMs: 1000, check: () => undefined };

let lists: OpenLists;
let ended: number[];
beforeEach(() => {
  lists = new OpenLists();
  ended = [];
});
afterEach(() => jest.useRealTimers());

/** A list of three pieces that records when it is closed. */
const open = (list: number) =>
  lists.open(list, LIMIT, (limit) => ({ bytes: 5, pieces: piecesOf(list, limit.check) }));

async function* piecesOf(list: number, check: () => void): AsyncGenerator<Piece> {
  try {
    for (let piece = 0; piece < 3; piece++) {
      await Promise.resolve();
      check();
      yield [{ piece }];
    }
  } finally {
    ended.push(list);
  }
}

const isEnded = { code: 'overloaded', retryAfterSeconds: 2 };

it('are read piece by piece, until they end', async () => {
  expect(await open(1)).toEqual({ bytes: 5, asksHome: false });
  for (let piece = 0; piece < 3; piece++) expect(await lists.next(1, LIMIT)).toEqual([{ piece }]);
  expect(ended).toEqual([]);
  expect([await lists.next(1, LIMIT), ended]).toEqual([undefined, [1]]);
  await expect(lists.next(1, LIMIT)).rejects.toBeInstanceOf(Problem);
});

it('give up what they hold where nobody reads them any more, and are gone then', async () => {
  await open(1);
  await lists.next(1, LIMIT);
  lists.close(1);
  await Promise.resolve();
  expect(ended).toEqual([1]);
  await expect(lists.next(1, LIMIT)).rejects.toMatchObject(isEnded);
});

it('end with the turn of a piece, which is another one for each', async () => {
  await open(1);
  await lists.next(1, LIMIT);
  const check = () => {
    throw new Overloaded();
  };
  const late = {
    patienceMs: 1000,
    check: jest.fn().mockReturnValueOnce(undefined).mockImplementation(check),
  };
  await expect(lists.next(1, late)).rejects.toThrow(Overloaded);
  expect(ended).toEqual([1]);
  await expect(lists.next(1, LIMIT)).rejects.toMatchObject(isEnded);
});

it('end where nobody reads them for five minutes', async () => {
  jest.useFakeTimers();
  await open(1);
  jest.advanceTimersByTime(299_000);
  await lists.next(1, LIMIT);
  jest.advanceTimersByTime(299_000);
  await lists.next(1, LIMIT);
  expect(ended).toEqual([]);
  jest.advanceTimersByTime(300_000);
  await expect(lists.next(1, LIMIT)).rejects.toMatchObject(isEnded);
  expect(ended).toEqual([1]);
});
