import { Injectable } from '@nestjs/common';
import { ReadMemory } from '../../../engine/ground/memory/read-memory';
import { ResourcesService } from '../../websites/resources/resources.service';
import { StoreRequests } from '../../websites/store-requests';
import type { SavedFilterView, StoreSavedFilter, UpdateSavedFilter } from './saved-filter.dto';
import type { SavedFilter } from './saved-filter.entity';
import { SavedFiltersRepository } from './saved-filters.repository';
import { SAVED_FILTERS } from './saved-filters.resource';

@Injectable()
export class SavedFiltersService extends ResourcesService<
  SavedFilter,
  SavedFilterView,
  StoreSavedFilter,
  UpdateSavedFilter
> {
  constructor(saved: SavedFiltersRepository, requests: StoreRequests, memory: ReadMemory) {
    super(SAVED_FILTERS, saved, requests, memory);
  }
}
