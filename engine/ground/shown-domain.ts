/**
 * Labels that are shown in their own letters. Each has one writing system, and letters that do not all look like ASCII
 * ones, so that no domain can be taken for another one.
 */
const SHOWN = [
  /^[a-z\d\u00df-\u00f6\u00f8-\u0130\u0132-\u0137\u0139-\u013e\u0141-\u0148\u014a-\u017e\u0218-\u021b\u1ea0-\u1ef9-]+$/,
  /^(?=.*[^асԁеһіјӏорԛѕԝхуъьҽпгѵѡғ\d-])[\p{Script=Cyrillic}\d-]+$/u,
  /^(?=.*[^αβγεηικνορςτυχω\d-])[\p{Script=Greek}\d-]+$/u,
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}ー\d-]+$/u,
  /^[\p{Script=Arabic}\d-]+$/u,
  /^[\p{Script=Hebrew}\d-]+$/u,
  /^[\p{Script=Devanagari}\d-]+$/u,
  /^[\p{Script=Thai}\d-]+$/u,
];
const PREFIX = 'xn--';

/** A domain as people write it, for example `müller.example`. The API and addresses have it in ASCII. */
export function shownDomain(domain: string): string {
  if (!domain.includes(PREFIX)) return domain;
  const shown = domain.split('.').map(shownLabel).join('.');
  return asciiOf(shown) === domain ? shown : domain;
}

function asciiOf(domain: string): string | undefined {
  const address = `http://${domain}`;
  return URL.canParse(address) ? new URL(address).hostname : undefined;
}

function shownLabel(label: string): string {
  const decoded = label.startsWith(PREFIX) ? decodedPunycode(label.slice(PREFIX.length)) : undefined;
  return decoded !== undefined && SHOWN.some((letters) => letters.test(decoded)) ? decoded : label;
}

const BASE = 36;
const MIN_THRESHOLD = 1;
const MAX_THRESHOLD = 26;
const SKEW = 38;
const DAMPING = 700;
const FIRST_CODE = 128;
const FIRST_BIAS = 72;
const LAST_CODE = 0x10ffff;

/** RFC 3492, section 6.2. Undefined for a text that is no Punycode. */
function decodedPunycode(text: string): string | undefined {
  const end = text.lastIndexOf('-');
  const codes = Array.from(text.slice(0, Math.max(0, end)), (letter) => letter.codePointAt(0)!);
  let [code, bias, place, position] = [FIRST_CODE, FIRST_BIAS, 0, end + 1];
  while (position < text.length) {
    const before = place;
    let weight = 1;
    for (let limit = BASE; ; limit += BASE) {
      const digit = digitOf(text[position++]);
      if (digit === undefined) return undefined;
      place += digit * weight;
      const threshold = Math.min(Math.max(limit - bias, MIN_THRESHOLD), MAX_THRESHOLD);
      if (digit < threshold) break;
      weight *= BASE - threshold;
    }
    const length = codes.length + 1;
    bias = adapted(place - before, length, before === 0);
    code += Math.floor(place / length);
    if (!(code <= LAST_CODE)) return undefined;
    codes.splice(place % length, 0, code);
    place = (place % length) + 1;
  }
  return String.fromCodePoint(...codes);
}

function digitOf(letter: string | undefined): number | undefined {
  const value = /^[a-z\d]$/.test(letter ?? '') ? parseInt(letter!, BASE) : undefined;
  // Letters stand for 0 to 25, digits for 26 to 35.
  return value === undefined ? undefined : (value + 26) % BASE;
}

function adapted(delta: number, length: number, isFirst: boolean): number {
  let rest = Math.floor(delta / (isFirst ? DAMPING : 2));
  rest += Math.floor(rest / length);
  let bias = 0;
  for (; rest > ((BASE - MIN_THRESHOLD) * MAX_THRESHOLD) / 2; bias += BASE)
    rest = Math.floor(rest / (BASE - MIN_THRESHOLD));
  return bias + Math.floor(((BASE - MIN_THRESHOLD + 1) * rest) / (rest + SKEW));
}
