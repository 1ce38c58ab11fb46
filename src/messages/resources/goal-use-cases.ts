import { FunnelDeletionView, FunnelView, StoreFunnel, UpdateFunnel } from '../../goals/funnels/funnel.dto';
import { GoalDeletionView, GoalView, StoreGoal, UpdateGoal } from '../../goals/goals/goal.dto';
import {
  SavedFilterDeletionView,
  SavedFilterView,
  StoreSavedFilter,
  UpdateSavedFilter,
} from '../../goals/saved-filters/saved-filter.dto';
import { resourceUseCases } from './resource-use-cases';

export const GOAL_USE_CASES = {
  ...resourceUseCases({
    what: 'Goal',
    one: 'a goal',
    many: 'goals',
    pattern: 'goals',
    path: 'goals',
    stored: StoreGoal,
    changed: UpdateGoal,
    view: GoalView,
    deletion: GoalDeletionView,
    serviceOf: ({ goals }) => goals,
  }),
  ...resourceUseCases({
    what: 'Saved filter',
    one: 'a saved filter',
    many: 'saved filters',
    pattern: 'saved_filters',
    path: 'saved-filters',
    stored: StoreSavedFilter,
    changed: UpdateSavedFilter,
    view: SavedFilterView,
    deletion: SavedFilterDeletionView,
    serviceOf: ({ savedFilters }) => savedFilters,
  }),
  ...resourceUseCases({
    what: 'Funnel',
    one: 'a funnel',
    many: 'funnels',
    pattern: 'funnels',
    path: 'funnels',
    stored: StoreFunnel,
    changed: UpdateFunnel,
    view: FunnelView,
    deletion: FunnelDeletionView,
    serviceOf: ({ funnels }) => funnels,
  }),
};
