import { language } from './language';

/** What the API says about each field. */
export type FieldProblems = Record<string, string[]>;

/** Says messages of the API in the language of the page. */
export async function wordedProblems(): Promise<(message: string) => string> {
  return language === 'de' ? (await import('./problems')).inGerman : (message) => message;
}

export function problemsOf(errors: FieldProblems, worded: (message: string) => string): FieldProblems {
  return Object.fromEntries(Object.entries(errors).map(([field, said]) => [field, said.map(worded)]));
}
