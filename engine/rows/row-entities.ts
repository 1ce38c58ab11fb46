import { bigint, exact, longText, optional, table, text } from '../database/schemas';
import { NUMBERS, OPTIONAL_NUMBERS, OTHER_TEXTS, ROW_KEY, TEXTS } from './row-tables';

const KEY = Object.fromEntries(ROW_KEY.map((name) => [name, bigint]));
const longExact = exact(longText);

/** The tables of rows. The engine's threads do not load them. */
export const ROW_TABLES = [
  table('hits', KEY, {
    ...Object.fromEntries(NUMBERS.filter((name) => !ROW_KEY.includes(name)).map((name) => [name, bigint])),
    ...Object.fromEntries(OPTIONAL_NUMBERS.map((name) => [name, optional(bigint)])),
    ...Object.fromEntries([...TEXTS, ...OTHER_TEXTS].map((name) => [name, optional(longExact)])),
  }),
  table('hit_properties', { ...KEY, name: exact(text(64)) }, { value: longExact }),
];
