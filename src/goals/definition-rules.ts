import type { EntityManager } from 'typeorm';
import { InvalidFields } from '../../engine/ground/errors';
import { InUse } from '../common/problems';
import { quotedBegin } from '../../engine/ground/text-order';
import { type FilterJson, GOAL, leavesIn, SAVED } from '../../engine/questions/parse/filter';
import { OPERATORS } from '../../engine/questions/filter-operators';
import { Funnel } from './funnels/funnel.entity';
import { expectFewConditions } from './funnels/resolved-steps';
import { resolve, type WebsiteDefinitions } from './resolution';
import { SavedFilter } from './saved-filters/saved-filter.entity';

type Named = { goal: string } | { saved: string };

/** Refuses another name while a saved filter, a funnel or an alert of the website refers to this one. */
export async function refuseNameIfUsed(
  manager: EntityManager,
  websiteId: number,
  named: Named,
): Promise<void> {
  const user = await findUser(manager, websiteId, named);
  if (user !== undefined)
    throw new InvalidFields({ name: [`is used by ${user}, so it can be neither changed nor deleted`] });
}

/** Refuses a deletion on the same condition. */
export async function refuseDeletionIfUsed(
  manager: EntityManager,
  websiteId: number,
  named: Named,
): Promise<void> {
  const user = await findUser(manager, websiteId, named);
  if (user !== undefined) throw new InUse(user);
}

async function findUser(
  manager: EntityManager,
  websiteId: number,
  named: Named,
): Promise<string | undefined> {
  const uses = (filters: FilterJson[]) => refersTo(filters, named);
  const ofWebsite = inOrder(websiteId);
  const saved = (await manager.find(SavedFilter, ofWebsite)).find(({ filters }) => uses(filters));
  if (saved) return `the saved filter ${quotedBegin(saved.name)}`;
  const funnels = await manager.find(Funnel, ofWebsite);
  const funnel = funnels.find(({ steps }) => steps.some(({ filters }) => uses(filters)));
  if (funnel) return `the funnel ${quotedBegin(funnel.name)}`;
  const alert = (await findAlerts(manager, websiteId)).find(({ filters }) => uses(filters));
  return alert && `the alert ${quotedBegin(alert.name)}`;
}

/** Goals know nothing of alerts but their table. */
async function findAlerts(
  manager: EntityManager,
  websiteId: number,
): Promise<{ name: string; filters: FilterJson[] }[]> {
  const rows = await manager.query<{ name: string; filters: string }[]>(
    'SELECT name, filters FROM alerts WHERE website_id = ? ORDER BY name',
    [websiteId],
  );
  return rows.map(({ name, filters }) => ({ name, filters: JSON.parse(filters) as FilterJson[] }));
}

const inOrder = (websiteId: number) => ({ where: { websiteId }, order: { name: 'ASC' as const } });

/** A pattern of names refers to none of them. */
function refersTo(filters: FilterJson[], named: Named): boolean {
  return leavesIn(filters).some((leaf) => {
    if (leaf[0] === SAVED) return 'saved' in named && leaf[1] === named.saved;
    const [operator, name, values] = leaf;
    if (!('goal' in named) || name !== GOAL) return false;
    return OPERATORS[operator].test === 'is' && values.includes(named.goal);
  });
}

/**
 * Refuses definitions by which a saved filter would stand for nothing, for itself or for too much. `stored` is the name
 * of the saved filter that is stored, whose errors have places.
 */
export function checkSavedFilters(definitions: WebsiteDefinitions, stored?: string): void {
  const names = [...definitions.saved.keys()];
  for (const savedAs of stored === undefined ? names : [stored, ...names])
    try {
      resolve(definitions.saved.get(savedAs)!, definitions, 'filters', { savedAs });
    } catch (error) {
      if (savedAs === stored || !(error instanceof InvalidFields)) throw error;
      throw wouldBeWrong(`the saved filter ${quotedBegin(savedAs)}`, error);
    }
}

/** Refuses definitions by which a funnel would stand for more than the limits, if it did not `before`. */
export async function checkFunnels(
  manager: EntityManager,
  websiteId: number,
  definitions: WebsiteDefinitions,
  before: WebsiteDefinitions,
): Promise<void> {
  for (const { name, steps } of await manager.find(Funnel, inOrder(websiteId))) {
    const error = problemOf(steps, definitions);
    if (error && !problemOf(steps, before)) throw wouldBeWrong(`the funnel ${quotedBegin(name)}`, error);
  }
}

/** Refuses definitions by which an alert could not be checked, if it could `before`. */
export async function checkAlerts(
  manager: EntityManager,
  websiteId: number,
  definitions: WebsiteDefinitions,
  before: WebsiteDefinitions,
): Promise<void> {
  for (const { name, filters } of await findAlerts(manager, websiteId)) {
    const error = problemIn(() => resolve(filters, definitions, 'filters'));
    if (error && !problemIn(() => resolve(filters, before, 'filters')))
      throw wouldBeWrong(`the alert ${quotedBegin(name)}`, error);
  }
}

function problemOf(steps: Funnel['steps'], definitions: WebsiteDefinitions): InvalidFields | undefined {
  return problemIn(() =>
    expectFewConditions(steps.map(({ filters }) => resolve(filters, definitions, 'steps'))),
  );
}

function problemIn(check: () => unknown): InvalidFields | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    if (error instanceof InvalidFields) return error;
    throw error;
  }
}

function wouldBeWrong(user: string, { errors }: InvalidFields): InvalidFields {
  const [problem] = Object.values(errors!).flat();
  return new InvalidFields({ filters: [`would break ${user}: it ${problem!}`] });
}
