import { defineResource } from '../websites/resources/define-resource';
import { EXCLUSION_COLUMNS, ExclusionView, SPAM, StoreExclusion, UpdateExclusion } from './exclusion.dto';
import { Exclusion } from './exclusion.entity';

export const EXCLUSIONS = defineResource({
  what: 'Exclusion',
  about:
    'An exclusion leaves the hits that its filters select out of all statistics of its days. Deleting it brings them back; for days whose hits are gone by then, it stays and is final. A purge removes the hits for good.',
  entity: Exclusion,
  view: ExclusionView,
  columns: EXCLUSION_COLUMNS,
  stored: StoreExclusion,
  changed: UpdateExclusion,
  example: SPAM,
  defaults: { reason: null, toDay: null, final: 0, purge: 0 },
});
