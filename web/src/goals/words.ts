import { de } from '../shared/language/goals/de';
import { en } from '../shared/language/goals/en';
import { language } from '../shared/language/language';

/** The texts of goals in the language of the page. */
export const words: typeof en = { en, de }[language];
