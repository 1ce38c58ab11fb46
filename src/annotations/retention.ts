import type { RetentionRule } from '../retention/rules';

export const ANNOTATIONS_RETENTION: RetentionRule[] = [{ table: 'annotations', key: 'website_id, id' }];
