import type { Alert, Funnel, SavedFilter, StoredFilters } from './definitions';

/** What refers to a goal, directly or through a saved filter, in an order in which each can be deleted. */
export interface References {
  alerts: Alert[];
  funnels: Funnel[];
  saved: SavedFilter[];
}

/** Everything of a website that may refer to a goal. */
export type Referring = Readonly<References>;

export function referencesTo(goal: string, { alerts, funnels, saved }: Referring): References {
  const found: SavedFilter[] = [];
  const refers = (filters: StoredFilters) => mentions(filters, goal, new Set(found.map(({ name }) => name)));
  // One that another refers to is found first, and deleted last.
  for (let before = -1; before < found.length;) {
    before = found.length;
    found.push(...saved.filter((one) => !found.includes(one) && refers(one.filters)));
  }
  return {
    alerts: alerts.filter(({ filters }) => refers(filters)),
    funnels: funnels.filter(({ steps }) => steps.some(({ filters }) => refers(filters))),
    saved: found.reverse(),
  };
}

const EXACT = ['is', 'is_not'];

/** Tells whether filters name a goal, or one of the saved filters. */
function mentions(json: unknown, goal: string, saved: ReadonlySet<string>): boolean {
  if (!Array.isArray(json)) return false;
  const [operator, name, values] = json as unknown[];
  if (operator === 'saved') return typeof name === 'string' && saved.has(name);
  if (name === 'goal' && Array.isArray(values))
    return EXACT.includes(operator as string) && values.includes(goal);
  return json.some((one) => mentions(one, goal, saved));
}
