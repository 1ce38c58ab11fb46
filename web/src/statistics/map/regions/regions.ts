import { regions } from 'virtual:regions';
import type { Region } from './rows';

const COUNTRIES = new Set(regions.codes.split(' '));
/** The files lie beside the script. */
const fileOf = (country: string) =>
  new URL(/* @vite-ignore */ `regions-${country}-${regions.hash}.json`, import.meta.url).href;

export const hasRegions = (country: string) => COUNTRIES.has(country);

export async function loadRegions(country: string, signal: AbortSignal): Promise<Region[]> {
  const answer = await fetch(fileOf(country), { signal });
  if (!answer.ok) throw new Error(answer.statusText);
  return (await answer.json()) as Region[];
}
