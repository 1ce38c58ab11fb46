import { NotAllowed } from '../../../engine/ground/errors';
import type { Refuse } from '../../../engine/ground/errors';
import { displayName } from '../../validation/parsers';
import { checkSelection } from '../../../engine/questions/parse/body-filters';
import type { FilterJson } from '../../../engine/questions/parse/filter';
import { QUESTION_LIMITS } from '../../../engine/questions/question-limits';
import { contradictionIn } from './contradiction';

export interface FunnelStep {
  name: string | null;
  filters: FilterJson[];
}

const MEMBERS = ['name', 'filters'];

/** Checks the steps of a funnel. */
export function checkSteps(sent: unknown, refuse: Refuse): void {
  const { least, most } = QUESTION_LIMITS.stepsOfFunnel;
  if (!Array.isArray(sent) || sent.length < least || sent.length > most)
    return refuse('', `must be a list of ${least} to ${most} steps`);
  for (const [index, one] of sent.entries()) checkStep(one, `.${index}`, refuse);
}

function checkStep(sent: unknown, place: string, refuse: Refuse): void {
  if (typeof sent !== 'object' || sent === null || Array.isArray(sent))
    return refuse(place, 'must be an object with filters and, if it has one, a name');
  for (const member of Object.keys(sent))
    if (!MEMBERS.includes(member))
      return refuse(place, `must have no other fields (allowed: ${MEMBERS.join(', ')})`);
  const { name, filters } = sent as Partial<Record<keyof FunnelStep, unknown>>;
  const problem = problemOfName(name);
  if (problem) refuse(`${place}.name`, problem);
  let isRefused = false;
  checkSelection(filters, (inside, problem) => {
    isRefused = true;
    return refuse(`${place}.filters${inside}`, problem);
  });
  const contradiction = isRefused ? undefined : contradictionIn(filters as FilterJson[]);
  if (contradiction !== undefined)
    refuse(`${place}.filters${contradiction}`, 'can never be true beside the other conditions');
}

function problemOfName(name: unknown): string | undefined {
  if (name === undefined || name === null || name === '') return undefined;
  if (typeof name !== 'string' || !name.isWellFormed()) return 'must be a text or null';
  try {
    displayName(name);
    return undefined;
  } catch (error) {
    if (error instanceof NotAllowed) return error.message;
    throw error;
  }
}

/** Checked steps as they are kept: a name is trimmed, and null if there is none. */
export function keptSteps(sent: readonly { name?: string | null; filters: FilterJson[] }[]): FunnelStep[] {
  return sent.map(({ name, filters }) => ({ name: name ? displayName(name) : null, filters }));
}
