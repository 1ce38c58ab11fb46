import { AlertDeletionView, StoreAlert, UpdateAlert } from '../../alerts/alert/alert.dto';
import { AlertView } from '../../alerts/alert/alert.view';
import { FiringView } from '../../alerts/firings/firing.view';
import { ListFirings } from '../../alerts/firings/list-firings.dto';
import { Page } from '../../http/answers/pagination';
import { PageMetaView } from '../../http/openapi/openapi';
import { useCase } from '../use-case';
import { OF_WEBSITE, resourceUseCases } from './resource-use-cases';

export const ALERT_USE_CASES = {
  ...resourceUseCases<StoreAlert, UpdateAlert>({
    what: 'Alert',
    one: 'an alert',
    many: 'alerts',
    pattern: 'alerts',
    path: 'alerts',
    stored: StoreAlert,
    changed: UpdateAlert,
    view: AlertView,
    deletion: AlertDeletionView,
    serviceOf: ({ alerts }) => alerts,
  }),
  'alerts.firings': useCase<ListFirings>({
    ...OF_WEBSITE,
    scope: 'read',
    resource: 'Alert',
    summary: 'List firings of an alert',
    fields: ListFirings,
    data: [FiringView],
    meta: PageMetaView,
    pathOf: (websiteId, id) => `/api/v1/websites/${websiteId}/alerts/${id}/firings`,
    answer: async ({ firings }, { key, websiteId, resourceId, fields }) =>
      new Page(await firings.page(key.userId, websiteId, resourceId, fields), fields),
  }),
};
