import { defineResource } from '../../websites/resources/define-resource';
import { MANY_VISITORS, StoreAlert, UpdateAlert } from './alert.dto';
import { Alert } from './alert.entity';
import { ALERT_COLUMNS, AlertView } from './alert.view';

export const ALERTS = defineResource({
  what: 'Alert',
  about:
    'An alert says what its owner watches for in the numbers of a website, and is sent by mail and to webhooks. A website has at most 20. At most 200 mails about firings of a user are sent in a day. Its view changes when it fires, and so does updated_at.',
  entity: Alert,
  view: AlertView,
  columns: ALERT_COLUMNS,
  stored: StoreAlert,
  changed: UpdateAlert,
  example: MANY_VISITORS,
  rules: { most: 20 },
});
