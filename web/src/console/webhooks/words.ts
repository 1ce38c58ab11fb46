import { de } from '../../shared/language/webhooks/de';
import { en } from '../../shared/language/webhooks/en';
import { language } from '../../shared/language/language';

/** The texts of webhooks in the language of the page. */
export const words: typeof en = { en, de }[language];
