import type { RetentionRule } from '../../engine/database/rules';

export const ANNOTATIONS_RETENTION: RetentionRule[] = [{ table: 'annotations', key: 'website_id, id' }];
