import { de } from '../../../../shared/language/alerts/de';
import { en } from '../../../../shared/language/alerts/en';
import { language } from '../../../../shared/language/language';

/** The texts of alerts in the language of the page. */
export const words: typeof en = { en, de }[language];
