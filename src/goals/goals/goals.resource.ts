import { defineResource } from '../../websites/resources/define-resource';
import { GOAL_COLUMNS, GoalView, SIGNUP, StoreGoal, UpdateGoal } from './goal.dto';
import { Goal } from './goal.entity';

export const GOALS = defineResource({
  what: 'Goal',
  about: 'A goal is what visitors should do: the hits that its filters select, past ones included.',
  entity: Goal,
  view: GoalView,
  columns: GOAL_COLUMNS,
  stored: StoreGoal,
  changed: UpdateGoal,
  example: SIGNUP,
  defaults: { value: null, currency: null },
  inUse: 'A saved filter, a funnel or an alert refers to it.',
});
