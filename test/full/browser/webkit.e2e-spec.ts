import { walk } from '../../support/engine-walks';
import { WebKit } from '../../support/webkit';

walk({ open: () => WebKit.open(), name: 'Safari', tellsStatus: false });
