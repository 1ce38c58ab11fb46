import { tooNear } from './reach';

it.each([
  ['http://127.0.0.1:3000', 'example.com', 'computer'],
  ['http://localhost:3000', 'example.com', 'computer'],
  ['http://[::1]:3000', 'shop.example', 'computer'],
  ['http://stats.localhost', 'intranet', 'computer'],
  ['http://192.168.1.5:3000/stats', 'example.com', 'network'],
  ['http://10.0.0.1', 'example.com', 'network'],
  ['http://172.20.0.2', 'example.com', 'network'],
  ['http://[fd00::1]', 'example.com', 'network'],
  ['http://nas.local', 'example.com', 'network'],
  ['http://nas', 'example.com', 'network'],
])('%s is too near for visitors of %s', (base, domain, reach) => expect(tooNear(base, domain)).toBe(reach));

it.each([
  ['https://stats.example.com', 'example.com'],
  ['https://203.0.113.7', 'example.com'],
  ['http://172.32.0.1', 'example.com'],
  ['https://[2001:db8::1]', 'example.com'],
  ['http://127.0.0.1:3000', 'localhost'],
  ['http://127.0.0.1:3000', '[::1]'],
  ['http://192.168.1.5', 'intranet'],
  ['https://10.example.com', 'example.com'],
])('%s can be reached by visitors of %s', (base, domain) => expect(tooNear(base, domain)).toBeUndefined());
