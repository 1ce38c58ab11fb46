import PostalMime from 'postal-mime';
import { messageBytes } from './message';

it.each([
  'Weekly report',
  'Größe: 3 €',
  '=?utf-8?q?=0D=0ABcc:_v@evil.example?=',
  `${'a 👩‍🔬 =?x?= '.repeat(20)}end`,
])('mail programs show the subject as it is: %s', async (subject) => {
  const message = { subject, messageId: '<1@a.example>', text: 'text', html: '<p>text</p>' };
  const bytes = await messageBytes(
    { ...message, unsubscribeLink: 'https://a.example/' },
    { name: 'Milepost', address: 'reports@a.example' },
    'owner@b.example',
  );
  const parsed = await PostalMime.parse(bytes);
  expect([parsed.subject, parsed.bcc]).toEqual([subject, undefined]);
  expect(
    Math.max(
      ...bytes
        .toString()
        .split('\r\n')
        .map((line) => line.length),
    ),
  ).toBeLessThanOrEqual(78);
});
