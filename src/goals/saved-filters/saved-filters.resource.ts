import { defineResource } from '../../websites/resources/define-resource';
import {
  MOBILE,
  SAVED_FILTER_COLUMNS,
  SavedFilterView,
  StoreSavedFilter,
  UpdateSavedFilter,
} from './saved-filter.dto';
import { SavedFilter } from './saved-filter.entity';

export const SAVED_FILTERS = defineResource({
  what: 'Saved filter',
  about: 'A saved filter has a name, by which other filters contain it.',
  entity: SavedFilter,
  view: SavedFilterView,
  columns: SAVED_FILTER_COLUMNS,
  stored: StoreSavedFilter,
  changed: UpdateSavedFilter,
  example: MOBILE,
  defaults: { shared: 0 },
  inUse:
    'A saved filter, a funnel or an alert refers to it. Or it limits the shared page, which is not private and would show everything ("limits_shared_page").',
});
