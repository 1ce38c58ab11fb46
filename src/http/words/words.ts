import type { Request } from 'express';
import { type Language, LANGUAGE_SETTING, LANGUAGES } from '../../../engine/ground/languages';
import { cookieIn } from '../requests/requests';
import { de } from './de';
import { en, type Words } from './en';

const WORDS: Record<Language, Words> = { en, de };

export type { Words };

/**
 * The texts in the language that was chosen in this browser, or else in the first that it asks for. The fallback is for
 * browsers that ask for none of these.
 */
export function wordsFor(request: Request, fallback: Language = 'en'): Words {
  return WORDS[chosenBy(request) ?? preferredBy(request, fallback)];
}

function chosenBy(request: Request): Language | undefined {
  const chosen = cookieIn(request.get('Cookie'), LANGUAGE_SETTING);
  return LANGUAGES.find((known) => known === chosen);
}

/** Browsers send shorter ones; a header of 16 kB would take milliseconds. */
const MAX_PREFERRED_LENGTH = 1000;

function preferredBy(request: Request, fallback: Language): Language {
  if ((request.get('Accept-Language') ?? '').length > MAX_PREFERRED_LENGTH) return fallback;
  // Of those that a browser likes equally, the first is taken.
  const preferred = request.acceptsLanguages([fallback, ...LANGUAGES]);
  return LANGUAGES.find((known) => known === preferred) ?? fallback;
}
