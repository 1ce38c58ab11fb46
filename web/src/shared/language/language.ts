import { type Language, LANGUAGE_SETTING, LANGUAGES } from '../../../../engine/ground/languages';

export { type Language, LANGUAGES };

const preferred = globalThis.navigator?.languages ?? [];

function storedLanguage(): string | null {
  try {
    return localStorage.getItem(LANGUAGE_SETTING);
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
    if (language) localStorage.setItem(LANGUAGE_SETTING, language);
    else localStorage.removeItem(LANGUAGE_SETTING);
    setCookie(language);
    location.reload();
  } catch {
    // Nothing can be stored.
  }
}

/** 400 days, the longest that browsers accept; some keep it for a week only. */
const COOKIE_S = 34_560_000;

/** For pages without a script. Its path is that of the console, which a proxy may have put below another. */
function setCookie(language: Language | undefined): void {
  const value = language ? `${language}; Max-Age=${COOKIE_S}` : '; Max-Age=0';
  const secure = location.protocol === 'https:' ? '; Secure' : '';
  document.cookie = `${LANGUAGE_SETTING}=${value}; SameSite=Lax${secure}`;
}

/** Sets the cookie of a chosen language anew, because browsers forget it sooner than the setting. */
export function renewCookie(): void {
  const chosen = chosenLanguage();
  if (chosen) setCookie(chosen);
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

/** For numbers and dates: the browser's variants of the page's language, such as `en-GB`. */
export const locale = [...preferred.filter((tag) => isOf(tag, language) && isValid(tag)), language];

/** Some systems report tags like `en-US@posix`. */
function isValid(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length > 0;
  } catch {
    return false;
  }
}
