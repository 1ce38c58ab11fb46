import { Body, Controller, Query, Res, UseInterceptors } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { CallerId, CostlyCaller } from '../../auth/bearer.guard';
import type { Caller } from '../../../engine/ground/gate';
import { isExpectedBy, type Precondition } from '../../http/answers/entity-tags';
import { EnvelopeInterceptor } from '../../http/answers/envelope.interceptor';
import type { Listing } from '../../http/answers/listing';
import { IfMatch } from '../../http/answers/revalidation';
import { ApiProblem } from '../../http/openapi/openapi-problems';
import { IdParam } from '../../http/requests/id-param';
import { IdempotencyKey } from '../../http/requests/idempotency-key';
import { NoFields } from '../../validation/fields';
import { ListResources } from '../../websites/resources/list-resources.dto';
import { OwnWebsiteId, resourcePath, ResourceRoutes } from '../../websites/resources/resource-routes';
import {
  MOBILE,
  SAVED_FILTER_COLUMNS,
  SavedFilterDeletionView,
  SavedFilterView,
  StoreSavedFilter,
  UpdateSavedFilter,
} from './saved-filter.dto';
import { SavedFiltersService } from './saved-filters.service';

const routes = new ResourceRoutes({
  one: 'saved filter',
  path: 'saved-filters',
  operation: 'SavedFilter',
  about: 'A saved filter has a name, by which other filters contain it.',
  view: SavedFilterView,
  deletion: SavedFilterDeletionView,
  stored: StoreSavedFilter,
  changed: UpdateSavedFilter,
  example: MOBILE,
});
const SavedFilterId = () => IdParam('id', 'Saved filter');

@ApiTags('Saved filters')
@Controller(resourcePath('saved-filters'))
@UseInterceptors(EnvelopeInterceptor)
export class SavedFiltersController {
  constructor(private readonly saved: SavedFiltersService) {}

  @routes.lists()
  list(
    @CallerId() ownerId: number,
    @OwnWebsiteId() websiteId: number,
    @Query() query: ListResources,
    @CostlyCaller() caller: Caller,
  ): Listing<SavedFilterView> {
    return routes.listingOf(this.saved, SAVED_FILTER_COLUMNS, [ownerId, websiteId, query, caller]);
  }

  @routes.shows()
  show(
    @CallerId() ownerId: number,
    @OwnWebsiteId() websiteId: number,
    @SavedFilterId() id: number,
    @Query() _: NoFields,
  ) {
    return this.saved.show(ownerId, websiteId, id);
  }

  @routes.stores()
  async store(
    @CallerId() ownerId: number,
    @OwnWebsiteId() websiteId: number,
    @Query() _: NoFields,
    @Body() input: StoreSavedFilter,
    @IdempotencyKey() key: string | undefined,
    @Res({ passthrough: true }) response: Response,
  ) {
    return routes.created(response, websiteId, await this.saved.store(ownerId, websiteId, input, key));
  }

  @routes.replaces()
  replace(
    @CallerId() ownerId: number,
    @OwnWebsiteId() websiteId: number,
    @SavedFilterId() id: number,
    @Query() _: NoFields,
    @Body() input: UpdateSavedFilter,
    @IfMatch() precondition: Precondition,
  ) {
    return this.saved.update(ownerId, websiteId, id, input, isExpectedBy(precondition));
  }

  @routes.updates()
  update(
    @CallerId() ownerId: number,
    @OwnWebsiteId() websiteId: number,
    @SavedFilterId() id: number,
    @Query() _: NoFields,
    @Body() input: UpdateSavedFilter,
    @IfMatch() precondition: Precondition,
  ) {
    return this.saved.update(ownerId, websiteId, id, input, isExpectedBy(precondition));
  }

  @routes.deletes()
  @ApiProblem(
    409,
    'in_use',
    'A saved filter, a funnel or an alert refers to it. Or it limits the shared page, which is not private and would show everything ("limits_shared_page").',
  )
  delete(
    @CallerId() ownerId: number,
    @OwnWebsiteId() websiteId: number,
    @SavedFilterId() id: number,
    @Query() _: NoFields,
    @Body() __: NoFields,
    @IfMatch() precondition: Precondition,
  ) {
    return this.saved.delete(ownerId, websiteId, id, isExpectedBy(precondition));
  }
}
