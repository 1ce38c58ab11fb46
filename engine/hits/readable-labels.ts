const CONTINENTS: Record<string, string> = {
  AF: 'Africa',
  AN: 'Antarctica',
  AS: 'Asia',
  EU: 'Europe',
  NA: 'North America',
  OC: 'Oceania',
  SA: 'South America',
};

const countries = new Intl.DisplayNames('en', { type: 'region' });
const languages = new Intl.DisplayNames('en', { type: 'language', languageDisplay: 'standard' });

export function continentLabel(code: string): string {
  return Object.hasOwn(CONTINENTS, code) ? CONTINENTS[code]! : code;
}

export function countryLabel(code: string): string {
  return displayName(countries, code);
}

export function languageLabel(tag: string): string {
  return displayName(languages, tag);
}

/** The path, decoded if that gives readable text. The query stays encoded. */
export function pathLabel(page: string): string {
  const query = page.indexOf('?');
  const path = query < 0 ? page : page.slice(0, query);
  return path.replace(/(?:%[0-9A-Fa-f]{2})+/g, readable) + page.slice(path.length);
}

/** Controls, line breaks, and marks that change the direction of text. */
export const UNREADABLE = /[\p{Cc}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069]/u;

function readable(escapes: string): string {
  try {
    const text = decodeURIComponent(escapes);
    return UNREADABLE.test(text) ? escapes : text;
  } catch {
    return escapes;
  }
}

/** Intl throws on invalid codes like `(unknown)`. */
export function displayName(names: Intl.DisplayNames, code: string): string {
  try {
    return names.of(code) ?? code;
  } catch {
    return code;
  }
}
