import { Injectable } from '@nestjs/common';
import { ReadMemory } from '../../../engine/database/connections/read-memory';
import { ResourcesService } from '../../websites/resources/resources.service';
import { StoreRequests } from '../../websites/store-requests';
import { SavedFilterView, type StoreSavedFilter, type UpdateSavedFilter } from './saved-filter.dto';
import type { SavedFilter } from './saved-filter.entity';
import { SavedFiltersRepository } from './saved-filters.repository';

@Injectable()
export class SavedFiltersService extends ResourcesService<SavedFilter, SavedFilterView, 'saved_filter'> {
  constructor(saved: SavedFiltersRepository, requests: StoreRequests, memory: ReadMemory) {
    super(saved, requests, memory, {
      what: 'Saved filter',
      object: 'saved_filter',
      viewOf: SavedFilterView.of,
    });
  }

  store(
    ownerId: number,
    websiteId: number,
    { name, filters, shared = 0 }: StoreSavedFilter,
    idempotencyKey?: string,
  ): Promise<SavedFilterView> {
    return this.insert(ownerId, websiteId, { name, filters, shared }, idempotencyKey);
  }

  update(
    ownerId: number,
    websiteId: number,
    id: number,
    sent: UpdateSavedFilter,
    isExpected?: (current: SavedFilterView) => boolean,
  ): Promise<SavedFilterView> {
    const changed = (saved: SavedFilter): SavedFilter => ({
      ...saved,
      name: sent.name ?? saved.name,
      filters: sent.filters ?? saved.filters,
      shared: sent.shared ?? saved.shared,
    });
    return this.change(ownerId, websiteId, id, changed, isExpected);
  }
}
