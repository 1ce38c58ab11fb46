import { gzipSync } from 'node:zlib';
import { readTrackerScript } from './tracker.controller';

const compressedBytes = (name: 'tracker.js' | 'tracker-events.js') =>
  gzipSync(readTrackerScript(name).text).length;

it('costs a page less than 1.5 kB compressed', () => {
  expect(compressedBytes('tracker.js')).toBeLessThan(1500);
});

it('costs a page with automatic events at most 1 kB more', () => {
  expect(compressedBytes('tracker-events.js')).toBeLessThanOrEqual(1000);
});
