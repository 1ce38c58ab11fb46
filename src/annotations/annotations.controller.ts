import { Body, Controller, Query, Res, UseInterceptors } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { CallerId, CallerKey, CostlyCaller } from '../auth/bearer.guard';
import type { ApiKey } from '../auth/api-key.entity';
import type { Caller } from '../../engine/ground/gate';
import { isExpectedBy, type Precondition } from '../http/answers/entity-tags';
import { EnvelopeInterceptor } from '../http/answers/envelope.interceptor';
import type { Listing } from '../http/answers/listing';
import { IfMatch } from '../http/answers/revalidation';
import { IdParam } from '../http/requests/id-param';
import { IdempotencyKey } from '../http/requests/idempotency-key';
import { NoFields } from '../validation/fields';
import { OwnWebsiteId, resourcePath, ResourceRoutes } from '../websites/resources/resource-routes';
import {
  ANNOTATION_COLUMNS,
  AnnotationDeletionView,
  AnnotationView,
  StoreAnnotation,
  UpdateAnnotation,
} from './annotation.dto';
import { AnnotationsService } from './annotations.service';
import { ListAnnotations } from './list-annotations.dto';

const routes = new ResourceRoutes({
  one: 'annotation',
  path: 'annotations',
  operation: 'Annotation',
  about:
    'An annotation says what happened on a day or at a moment. A website has at most 1,000. A key with the scope annotations can create them and do nothing else, 60 in an hour for a website.',
  view: AnnotationView,
  deletion: AnnotationDeletionView,
  stored: StoreAnnotation,
  changed: UpdateAnnotation,
  example: { text: 'Version 2.1 deployed' },
  storedBy: 'annotations',
  isForm: true,
});
const AnnotationId = () => IdParam('id', 'Annotation');

@ApiTags('Annotations')
@Controller(resourcePath('annotations'))
@UseInterceptors(EnvelopeInterceptor)
export class AnnotationsController {
  constructor(private readonly annotations: AnnotationsService) {}

  @routes.lists()
  list(
    @CallerId() ownerId: number,
    @OwnWebsiteId() websiteId: number,
    @Query() query: ListAnnotations,
    @CostlyCaller() caller: Caller,
  ): Listing<AnnotationView> {
    return routes.listingOf(this.annotations, ANNOTATION_COLUMNS, [ownerId, websiteId, query, caller]);
  }

  @routes.shows()
  show(
    @CallerId() ownerId: number,
    @OwnWebsiteId() websiteId: number,
    @AnnotationId() id: number,
    @Query() _: NoFields,
  ) {
    return this.annotations.show(ownerId, websiteId, id);
  }

  @routes.stores()
  async store(
    @CallerKey() caller: ApiKey,
    @OwnWebsiteId() websiteId: number,
    @Query() _: NoFields,
    @Body() input: StoreAnnotation,
    @IdempotencyKey() key: string | undefined,
    @Res({ passthrough: true }) response: Response,
  ) {
    const annotation = await this.annotations.storeAs(caller, websiteId, input, key);
    return routes.created(response, websiteId, annotation);
  }

  @routes.replaces()
  replace(
    @CallerId() ownerId: number,
    @OwnWebsiteId() websiteId: number,
    @AnnotationId() id: number,
    @Query() _: NoFields,
    @Body() input: UpdateAnnotation,
    @IfMatch() precondition: Precondition,
  ) {
    return this.annotations.update(ownerId, websiteId, id, input, isExpectedBy(precondition));
  }

  @routes.updates()
  update(
    @CallerId() ownerId: number,
    @OwnWebsiteId() websiteId: number,
    @AnnotationId() id: number,
    @Query() _: NoFields,
    @Body() input: UpdateAnnotation,
    @IfMatch() precondition: Precondition,
  ) {
    return this.annotations.update(ownerId, websiteId, id, input, isExpectedBy(precondition));
  }

  @routes.deletes()
  delete(
    @CallerId() ownerId: number,
    @OwnWebsiteId() websiteId: number,
    @AnnotationId() id: number,
    @Query() _: NoFields,
    @Body() __: NoFields,
    @IfMatch() precondition: Precondition,
  ) {
    return this.annotations.delete(ownerId, websiteId, id, isExpectedBy(precondition));
  }
}
