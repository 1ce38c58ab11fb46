import { readTrackerScript } from './tracker-script';

const { text } = readTrackerScript();

it('costs a page less than 1.5 kB', () => {
  expect(Buffer.byteLength(text)).toBeLessThan(1500);
});

it('leaves nothing behind in the browser', () => {
  expect(text).not.toMatch(/cookie|localStorage|sessionStorage|indexedDB|caches/);
});
