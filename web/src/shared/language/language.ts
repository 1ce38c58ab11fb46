export const LANGUAGES = ['en', 'de'] as const;
export type Language = (typeof LANGUAGES)[number];

const STORED_AS = 'milepost_language';
const preferred = globalThis.navigator?.languages ?? [];

function storedLanguage(): string | null {
  try {
    return localStorage.getItem(STORED_AS);
  } catch {
    // A browser without storage uses its own language.
    return null;
  }
}

/** The language that was chosen here. Undefined if the browser decides. */
export function chosenLanguage(): Language | undefined {
  const stored = storedLanguage();
  return LANGUAGES.find((known) => known === stored);
}

/** Stays until another one is chosen. All texts are read at load, so the page loads again. */
export function chooseLanguage(language: Language | undefined): void {
  try {
    if (language) localStorage.setItem(STORED_AS, language);
    else localStorage.removeItem(STORED_AS);
    location.reload();
  } catch {
    // Nothing can be stored.
  }
}

const isOf = (tag: string, language: Language) => tag.toLowerCase().split('-')[0] === language;

/** The first of the browser's languages that the pages have. */
export function languageFor(tags: readonly string[]): Language {
  for (const tag of tags) {
    const known = LANGUAGES.find((one) => isOf(tag, one));
    if (known) return known;
  }
  return 'en';
}

/** The language of the page. */
export const language = chosenLanguage() ?? languageFor(preferred);

/** For numbers and dates: the browser's variants of the page's language, like `en-GB`. */
export const locale = [...preferred.filter((tag) => isOf(tag, language) && isValid(tag)), language];

/** Some systems report tags like `en-US@posix`. */
function isValid(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length > 0;
  } catch {
    return false;
  }
}
