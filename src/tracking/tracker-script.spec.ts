import { gzipSync } from 'node:zlib';
import { readTrackerScript } from './tracker-script';

const { text } = readTrackerScript();

it('costs a page less than 1.5 kB compressed', () => {
  expect(gzipSync(text).length).toBeLessThan(1500);
});

it('leaves nothing behind in the browser', () => {
  expect(text).not.toMatch(/cookie|setItem|sessionStorage|indexedDB|caches/);
  expect(text.match(/localStorage[^,;)]*/g)).toEqual(['localStorage.getItem("milepost_ignore"']);
});
