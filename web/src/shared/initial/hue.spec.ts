import { hueOf } from './hue';

it('is the same for the same domain, and an angle', () => {
  expect(hueOf('example.com')).toBe(hueOf('example.com'));
  for (const domain of ['', 'a', 'example.com', 'xn--bcher-kva.example', 'x'.repeat(253)]) {
    const hue = hueOf(domain);
    expect([Number.isInteger(hue), hue >= 0, hue < 360]).toEqual([true, true, true]);
  }
});

it('is far from that of a similar domain', () => {
  const distance = Math.abs(hueOf('one.example') - hueOf('onf.example'));
  expect(Math.min(distance, 360 - distance)).toBeGreaterThan(20);
});
