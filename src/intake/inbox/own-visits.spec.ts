import { OwnVisits } from './own-visits';

const ADDRESS = '203.0.113.7';

let now = 0;
beforeEach(() => void jest.spyOn(performance, 'now').mockImplementation(() => now));
afterEach(() => jest.restoreAllMocks());

it('tells the last drop of an address and a website, and how long ago it was', () => {
  const visits = new OwnVisits();
  expect(visits.lastDropped(1, ADDRESS)).toBeUndefined();
  visits.noteDropped(1, ADDRESS, 'bot');
  visits.noteDropped(1, '203.0.113.8', 'ip');
  visits.noteDropped(2, ADDRESS, 'origin');
  now += 60_000;
  expect(visits.lastDropped(1, ADDRESS)).toEqual({ reason: 'bot', secondsAgo: 60 });
  expect(visits.lastDropped(1, '203.0.113.8')).toBeUndefined();
});

it('forgets an address two minutes after its last question', () => {
  const visits = new OwnVisits();
  visits.lastDropped(1, ADDRESS);
  now += 119_000;
  visits.noteDropped(1, ADDRESS, 'bot');
  expect(visits.lastDropped(1, ADDRESS)).toMatchObject({ reason: 'bot' });
  now += 120_000;
  expect(visits.lastDropped(1, ADDRESS)).toBeUndefined();
});

it('keeps a thousand addresses, those that asked last', () => {
  const visits = new OwnVisits();
  visits.lastDropped(1, ADDRESS);
  for (let website = 2; website <= 1000; website++) visits.lastDropped(website, ADDRESS);
  visits.noteDropped(1, ADDRESS, 'bot');
  visits.noteDropped(2, ADDRESS, 'bot');
  expect(visits.lastDropped(1, ADDRESS)).toMatchObject({ reason: 'bot' });
  visits.lastDropped(1001, ADDRESS);
  expect(visits.lastDropped(2, ADDRESS)).toBeUndefined();
});
