import { gzipSync } from 'node:zlib';
import { readTrackerScript } from './tracker.controller';

const { text } = readTrackerScript();

it('costs a page less than 1.5 kB compressed', () => {
  expect(gzipSync(text).length).toBeLessThan(1500);
});
