import type { Type } from '@nestjs/common';
import type { Missing } from '../../common/problem';
import { Page } from '../../http/answers/pagination';
import { PageMetaView } from '../../http/openapi/openapi';
import { NoFields } from '../../validation/fields';
import { ListResources } from '../../websites/resources/list-resources.dto';
import type { Resource } from '../../websites/resources/resource.entity';
import type { ResourcesService } from '../../websites/resources/resources.service';
import { type Services, type UseCase, useCase } from '../use-case';

type Common = Pick<ResourcesService<Resource, object, string>, 'page' | 'show' | 'delete'>;

interface ResourceService<S, C> extends Common {
  store: (ownerId: number, websiteId: number, fields: S) => Promise<object>;
  update: (ownerId: number, websiteId: number, id: number, fields: C) => Promise<object>;
}

interface Kind<S, C> {
  what: Missing;
  /** In summaries, for example `a goal`. */
  one: string;
  many: string;
  /** The first word of the patterns, for example `saved_filters`. */
  pattern: string;
  path: string;
  stored: Type<S>;
  changed: Type<C>;
  view: Type;
  deletion: Type;
  serviceOf: (services: Services) => ResourceService<S, C>;
}

export const OF_WEBSITE = { budget: 'management', id: 'website_id', keepsToWebsites: true } as const;
const READ = { ...OF_WEBSITE, scope: 'read' } as const;
const CHANGE = { ...OF_WEBSITE, scope: 'full' } as const;

/** The same five requests for each kind of resource of a website. */
export function resourceUseCases<S extends object, C extends object>(
  kind: Kind<S, C>,
): Record<string, UseCase> {
  const { what: resource, one, pattern, view, serviceOf } = kind;
  return {
    [`${pattern}.list`]: useCase<ListResources>({
      ...READ,
      summary: `List ${kind.many}`,
      fields: ListResources,
      data: [view],
      meta: PageMetaView,
      pathOf: (websiteId) => `/api/v1/websites/${websiteId}/${kind.path}`,
      answer: async (services, { key, websiteId, fields }) =>
        new Page(await serviceOf(services).page(key.userId, websiteId, fields), fields),
    }),
    [`${pattern}.show`]: useCase<NoFields>({
      ...READ,
      resource,
      summary: `Show ${one}`,
      fields: NoFields,
      data: view,
      answer: (services, { key, websiteId, resourceId }) =>
        serviceOf(services).show(key.userId, websiteId, resourceId),
    }),
    [`${pattern}.store`]: useCase<S>({
      ...CHANGE,
      summary: `Create ${one}`,
      fields: kind.stored,
      data: view,
      answer: (services, { key, websiteId, fields }) =>
        serviceOf(services).store(key.userId, websiteId, fields),
    }),
    [`${pattern}.update`]: useCase<C>({
      ...CHANGE,
      resource,
      summary: `Update ${one}`,
      fields: kind.changed,
      data: view,
      answer: (services, { key, websiteId, resourceId, fields }) =>
        serviceOf(services).update(key.userId, websiteId, resourceId, fields),
    }),
    [`${pattern}.delete`]: useCase<NoFields>({
      ...CHANGE,
      resource,
      summary: `Delete ${one}`,
      fields: NoFields,
      data: kind.deletion,
      answer: (services, { key, websiteId, resourceId }) =>
        serviceOf(services).delete(key.userId, websiteId, resourceId),
    }),
  };
}
