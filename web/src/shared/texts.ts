import { de } from './language/de';
import { en } from './language/en';
import { language } from './language/language';

export type Texts = typeof en;

/** The texts in the language of the page. */
export const texts: Texts = { en, de }[language];
