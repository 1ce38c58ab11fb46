import { compareTexts } from './text-order';

it('orders texts as their bytes are', () => {
  const texts = ['', 'a', 'A', 'aa', 'ä', '\ud7ff', '\ue000', '\uffff', '🙂', '🙃', '🙂a', '\u{10ffff}', 'z'];
  const byBytes = [...texts].sort((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)));
  expect([...texts].sort(compareTexts)).toEqual(byBytes);
});
