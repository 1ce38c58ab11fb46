import { VISITOR_BYTES } from '../common/visitor-bytes';
import { DayOutline } from './day-outline';
import type { Hit } from './hit';

const hitOf = (letter: string) =>
  ({
    visitor: letter === '' ? '' : Buffer.alloc(VISITOR_BYTES, letter).toString('base64url'),
    page: '/',
  }) as Hit;

it('picks the same visitors out of each reading, also those who cannot be told', () => {
  const letters = ['a', '', 'b', 'a', '', 'c', 'b', '', 'd', 'a'];
  const hits = letters.map(hitOf);
  const outline = new DayOutline();
  outline.add(hits.slice(0, 4));
  outline.add(hits.slice(4));
  const ranges = outline.parts({ hits: 3, textSize: 1000 });
  for (let reading = 0; reading < 2; reading++) {
    outline.readAgain();
    const some = [hits.slice(0, 7), hits.slice(7)].map((own) => outline.ofRanges(own, ranges));
    const places = ranges.map((_, range) =>
      some.flatMap((own) => own[range]!).map((hit) => hits.indexOf(hit)),
    );
    expect(places).toEqual([[0, 3, 9], [1, 2, 6], [4, 5, 7], [8]]);
  }
});

it('takes no more memory for more hits of the same visitors', () => {
  const outline = new DayOutline();
  const hits = Array.from({ length: 1000 }, (_, index) => hitOf('abcdefgh'[index % 8]!));
  outline.add(hits);
  const before = process.memoryUsage().arrayBuffers;
  for (let times = 0; times < 1000; times++) outline.add(hits);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(1024 * 1024);
});
