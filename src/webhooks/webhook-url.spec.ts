import { NotAllowed } from '../../engine/ground/errors';
import { normaliseUrl } from './webhook-url';

it.each([
  ['https://example.com', 'https://example.com/'],
  ['HTTP://Example.com:8080/a?b=c%20d', 'http://example.com:8080/a?b=c%20d'],
  ['https://bücher.example/ü', 'https://xn--bcher-kva.example/%C3%BC'],
  ['http://0x7f.1/', 'http://127.0.0.1/'],
  ['http://[::ffff:127.0.0.1]/', 'http://[::ffff:7f00:1]/'],
])('reads %s as %s', (sent, read) => expect(normaliseUrl(sent)).toBe(read));

it.each([
  '',
  'example.com',
  '/hooks',
  'javascript:alert(1)',
  'https://',
  'https://a b/',
  'https://user:password@example.com/',
  'https://example.com/#',
  `https://example.com/${'x'.repeat(1981)}`,
  `https://example.com/${'ü'.repeat(400)}`,
])('refuses %j', (sent) => expect(() => normaliseUrl(sent)).toThrow(NotAllowed));
