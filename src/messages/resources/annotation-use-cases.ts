import {
  AnnotationDeletionView,
  AnnotationView,
  StoreAnnotation,
  UpdateAnnotation,
} from '../../annotations/annotation.dto';
import { ListAnnotations } from '../../annotations/list-annotations.dto';
import { Page } from '../../http/answers/pagination';
import { PageMetaView } from '../../http/openapi/openapi';
import { useCase } from '../use-case';
import { OF_WEBSITE, resourceUseCases } from './resource-use-cases';

/** Unlike other resources, they are listed by days, and a key for them alone can store them. */
export const ANNOTATION_USE_CASES = {
  ...resourceUseCases<StoreAnnotation, UpdateAnnotation>({
    what: 'Annotation',
    one: 'an annotation',
    many: 'annotations',
    pattern: 'annotations',
    path: 'annotations',
    stored: StoreAnnotation,
    changed: UpdateAnnotation,
    view: AnnotationView,
    deletion: AnnotationDeletionView,
    serviceOf: ({ annotations }) => annotations,
  }),
  'annotations.list': useCase<ListAnnotations>({
    ...OF_WEBSITE,
    scope: 'read',
    summary: 'List annotations',
    fields: ListAnnotations,
    data: [AnnotationView],
    meta: PageMetaView,
    pathOf: (websiteId) => `/api/v1/websites/${websiteId}/annotations`,
    answer: async ({ annotations }, { key, websiteId, fields }) =>
      new Page(await annotations.page(key.userId, websiteId, fields), fields),
  }),
  'annotations.store': useCase<StoreAnnotation>({
    ...OF_WEBSITE,
    scope: 'annotations',
    summary: 'Create an annotation',
    fields: StoreAnnotation,
    data: AnnotationView,
    answer: ({ annotations }, { key, websiteId, fields }) => annotations.storeAs(key, websiteId, fields),
  }),
};
