import { defineResource } from '../websites/resources/define-resource';
import { ANNOTATION_COLUMNS, AnnotationView, StoreAnnotation, UpdateAnnotation } from './annotation.dto';
import { Annotation } from './annotation.entity';
import { ListAnnotations } from './list-annotations.dto';

export const ANNOTATIONS = defineResource({
  what: 'Annotation',
  about:
    'An annotation says what happened on a day or at a moment. A website has at most 1,000. A key with the scope annotations can create them and do nothing else, 60 in an hour for a website.',
  entity: Annotation,
  view: AnnotationView,
  columns: ANNOTATION_COLUMNS,
  stored: StoreAnnotation,
  changed: UpdateAnnotation,
  example: { text: 'Version 2.1 deployed' },
  listed: ListAnnotations,
  rules: { text: 'text', isUnique: false, most: 1000, order: { moment: 'DESC', id: 'ASC' } },
  storedBy: 'annotations',
  isForm: true,
});
