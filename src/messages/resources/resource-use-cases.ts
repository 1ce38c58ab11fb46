import type { Type } from '@nestjs/common';
import { ALERTS } from '../../alerts/alert/alerts.resource';
import { AlertsService } from '../../alerts/alert/alerts.service';
import { FiringView } from '../../alerts/firings/firing.view';
import { FiringsService } from '../../alerts/firings/firings.service';
import { ListFirings } from '../../alerts/firings/list-firings.dto';
import { ANNOTATIONS } from '../../annotations/annotations.resource';
import { AnnotationsService } from '../../annotations/annotations.service';
import { EXCLUSIONS } from '../../exclusions/exclusions.resource';
import { ExclusionsService } from '../../exclusions/exclusions.service';
import { FUNNELS } from '../../goals/funnels/funnels.resource';
import { FunnelsService } from '../../goals/funnels/funnels.service';
import { GOALS } from '../../goals/goals/goals.resource';
import { GoalsService } from '../../goals/goals/goals.service';
import { SAVED_FILTERS } from '../../goals/saved-filters/saved-filters.resource';
import { SavedFiltersService } from '../../goals/saved-filters/saved-filters.service';
import { Page } from '../../http/answers/pagination';
import { PageMetaView } from '../../http/openapi/openapi';
import { NoFields } from '../../validation/fields';
import type { ResourceKind } from '../../websites/resources/define-resource';
import type { Resource } from '../../websites/resources/resource.entity';
import type { ResourcesService } from '../../websites/resources/resources.service';
import { type UseCase, useCase } from '../use-case';

export const OF_WEBSITE = { budget: 'management', id: 'website_id', keepsToWebsites: true } as const;
const READ = { ...OF_WEBSITE, scope: 'read' } as const;
const CHANGE = { ...OF_WEBSITE, scope: 'full' } as const;

/** Each kind of resource of a website has these five requests. */
function resourceUseCases<E extends Resource, V extends { id: number }, S extends object, C extends object>(
  kind: ResourceKind<E, V, S, C>,
  service: Type<ResourcesService<E, V, S, C>>,
): Record<string, UseCase> {
  const { what: resource, a, one, path, pattern, view } = kind;
  return {
    [`${pattern}.list`]: useCase(service, {
      ...READ,
      summary: `List ${one}s`,
      fields: kind.listed,
      data: [view],
      meta: PageMetaView,
      pathOf: (websiteId) => `/api/v1/websites/${websiteId}/${path}`,
      answer: async (resources, { key, websiteId, fields }) =>
        new Page(await resources.page(key.userId, websiteId, fields), fields),
    }),
    [`${pattern}.show`]: useCase(service, {
      ...READ,
      resource,
      summary: `Show ${a}`,
      fields: NoFields,
      data: view,
      answer: (resources, { key, websiteId, resourceId }) =>
        resources.show(key.userId, websiteId, resourceId),
    }),
    [`${pattern}.store`]: useCase(service, {
      ...OF_WEBSITE,
      scope: kind.storedBy,
      summary: `Create ${a}`,
      fields: kind.stored,
      data: view,
      answer: (resources, { key, websiteId, fields }) => resources.storeAs(key, websiteId, fields),
    }),
    [`${pattern}.update`]: useCase(service, {
      ...CHANGE,
      resource,
      summary: `Update ${a}`,
      fields: kind.changed,
      data: view,
      answer: (resources, { key, websiteId, resourceId, fields }) =>
        resources.update(key.userId, websiteId, resourceId, fields),
    }),
    [`${pattern}.delete`]: useCase(service, {
      ...CHANGE,
      resource,
      summary: `Delete ${a}`,
      fields: NoFields,
      data: kind.deletion,
      answer: (resources, { key, websiteId, resourceId }) =>
        resources.delete(key.userId, websiteId, resourceId),
    }),
  };
}

export const RESOURCE_USE_CASES = {
  ...resourceUseCases(ALERTS, AlertsService),
  'alerts.firings': useCase(FiringsService, {
    ...READ,
    resource: 'Alert',
    summary: 'List firings of an alert',
    fields: ListFirings,
    data: [FiringView],
    meta: PageMetaView,
    pathOf: (websiteId, id) => `/api/v1/websites/${websiteId}/alerts/${id}/firings`,
    answer: async (firings, { key, websiteId, resourceId, fields }) =>
      new Page(await firings.page(key.userId, websiteId, resourceId, fields), fields),
  }),
  ...resourceUseCases(ANNOTATIONS, AnnotationsService),
  ...resourceUseCases(GOALS, GoalsService),
  ...resourceUseCases(SAVED_FILTERS, SavedFiltersService),
  ...resourceUseCases(FUNNELS, FunnelsService),
  ...resourceUseCases(EXCLUSIONS, ExclusionsService),
};
