import { BlockList } from 'node:net';
import fc from 'fast-check';
import { compileAddresses } from './excluded-addresses';

it.each([
  ['203.0.113.7', '203.0.113.7'],
  ['203.0.113.7', '::ffff:203.0.113.7'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['::ffff:203.0.113.7', '::ffff:cb00:7107'],
  ['10.0.0.0/8', '10.255.0.1'],
  ['10.1.2.3/8', '10.255.0.1'],
  ['10.0.0.0/8', '::ffff:10.0.0.1'],
  ['::ffff:10.0.0.0/104', '10.255.0.1'],
  ['::ffff:0:0/96', '203.0.113.7'],
  ['0.0.0.0/0', '203.0.113.7'],
  ['2001:db8::/32', '2001:DB8:ffff::1'],
  ['2001:DB8::1', '2001:db8:0:0:0:0:0:1'],
  ['2001:db8::1/128', '2001:db8::1'],
  ['::/0', '2001:db8::1'],
  ['192.0.2.1\n2001:db8::/32\n203.0.113.7/32', '203.0.113.7'],
])('%p covers %s', (lines, address) => {
  expect(compileAddresses(lines)(address)).toBe(true);
});

it.each([
  [null, '203.0.113.7'],
  ['203.0.113.7', '203.0.113.70'],
  ['203.0.113.0/25', '203.0.113.128'],
  ['2001:db8::/33', '2001:db8:8000::1'],
  ['0.0.0.0/0', '2001:db8::1'],
  ['::/0', '203.0.113.7'],
  ['::ffff:0:0/90', '2001:db8::1'],
  ['0.0.0.0/0', 'nonsense'],
])('%p does not cover %s', (lines, address) => {
  expect(compileAddresses(lines)(address)).toBe(false);
});

it.each(['ipv4', 'ipv6'] as const)('covers the ranges of %s that a list of blocks covers', (family) => {
  const isFour = family === 'ipv4';
  const parts = isFour ? 4 : 8;
  // Few values, so that addresses lie in ranges.
  const part = fc.constantFrom(...(isFour ? [0, 1, 10, 127, 128, 255] : [0, 1, 0x7fff, 0x8000, 0x2001]));
  const address = fc
    .array(part, { minLength: parts, maxLength: parts })
    .map((all) => (isFour ? all.join('.') : all.map((one) => one.toString(16)).join(':')));
  const range = fc.tuple(address, fc.integer({ min: 0, max: isFour ? 32 : 128 }));
  fc.assert(
    fc.property(fc.array(range, { minLength: 1, maxLength: 5 }), address, (ranges, sent) => {
      const blocks = new BlockList();
      for (const [network, prefix] of ranges) blocks.addSubnet(network, prefix, family);
      const covers = compileAddresses(ranges.map((own) => own.join('/')).join('\n'));
      for (const one of [sent, ...ranges.map(([network]) => network)])
        expect([ranges, one, covers(one)]).toEqual([ranges, one, blocks.check(one, family)]);
    }),
    { numRuns: 500 },
  );
});
