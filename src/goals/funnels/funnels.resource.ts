import { defineResource } from '../../websites/resources/define-resource';
import { FUNNEL_COLUMNS, FunnelView, SIGNUPS, StoreFunnel, UpdateFunnel } from './funnel.dto';
import { Funnel } from './funnel.entity';

export const FUNNELS = defineResource({
  what: 'Funnel',
  about: 'A funnel is the steps that visitors should take, one after the other.',
  entity: Funnel,
  view: FunnelView,
  columns: FUNNEL_COLUMNS,
  stored: StoreFunnel,
  changed: UpdateFunnel,
  example: SIGNUPS,
  defaults: { order: 'open', within: 'visit' },
});
