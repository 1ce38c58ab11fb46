import { type Condition, conditionOf, filtersOf, NO_CONDITION } from '../conditions';
import type { Funnel, FunnelStep, StoredFilters } from '../definitions';

export const LEAST_STEPS = 2;
export const MOST_STEPS = 8;

/** A step in a form. One with other conditions than those of forms keeps them. */
export interface StepDraft {
  key: number;
  name: string;
  condition: Condition | undefined;
  kept: StoredFilters;
}

let keys = 0;

export function newStep(): StepDraft {
  return { key: ++keys, name: '', condition: NO_CONDITION, kept: [] };
}

export function draftsOf(funnel: Funnel | undefined): StepDraft[] {
  if (!funnel) return [newStep(), newStep()];
  return funnel.steps.map(({ name, filters }) => ({
    ...{ key: ++keys, name: name ?? '', condition: conditionOf(filters), kept: filters },
  }));
}

export function stepsOf(drafts: StepDraft[]): FunnelStep[] {
  return drafts.map(({ name, condition, kept }) => ({
    name: name.trim() === '' ? null : name,
    filters: condition ? filtersOf(condition) : kept,
  }));
}

/** The step moves in front of the one before it. */
export function movedUp(drafts: StepDraft[], index: number): StepDraft[] {
  const moved = drafts[index];
  const others = drafts.filter((_, at) => at !== index);
  return moved && index > 0 ? [...others.slice(0, index - 1), moved, ...others.slice(index - 1)] : drafts;
}
