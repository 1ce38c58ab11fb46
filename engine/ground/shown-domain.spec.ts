import { domainToASCII } from 'node:url';
import { shownDomain } from './shown-domain';

it.each([
  'example.com',
  'müller-straße.de',
  'bücher.example',
  'www2.größe-1.example',
  'łódź.example',
  'việt-nam.example',
  'пример.испытание',
  'παράδειγμα.example',
  '例え.テスト',
  '한국.example',
  'مثال.example',
  'דוגמה.example',
  'उदाहरण.example',
  'ตัวอย่าง.example',
  '[::1]',
  '127.0.0.1',
])('shows %s as it is written', (domain) => {
  const ascii = domain.startsWith('[') ? domain : domainToASCII(domain);
  expect(shownDomain(ascii)).toBe(domain);
});

it.each([
  ['Cyrillic letters that look like ASCII', 'аррӏе.example'],
  ['two writing systems in a label', 'аpple.example'],
  ['a letter for a slash', 'comノevil.example'],
  ['an i without a dot', 'mılepost.example'],
  ['Greek letters that look like ASCII', 'νικο.example'],
  ['a phonetic letter', 'ɡoogle.example'],
])('leaves %s in ASCII', (_, domain) => {
  const ascii = domainToASCII(domain);
  expect(ascii).toContain('xn--');
  expect(shownDomain(ascii)).toBe(ascii);
});

it.each([
  'xn--.example',
  'xn--a.example',
  'xn--example.com',
  'xn--99999999999999999999.example',
  `xn--${'z'.repeat(59)}.example`,
])('leaves %s, which encodes nothing', (domain) => expect(shownDomain(domain)).toBe(domain));
