/** The languages of the pages. */
export const LANGUAGES = ['en', 'de'] as const;
export type Language = (typeof LANGUAGES)[number];

/** The setting of a browser, and the cookie that tells it to the service. */
export const LANGUAGE_SETTING = 'milepost_language';
