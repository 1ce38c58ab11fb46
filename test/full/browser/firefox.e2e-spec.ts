import { walk } from '../../support/engine-walks';
import { Firefox } from '../../support/firefox';

walk({ open: () => Firefox.open(), name: 'Firefox', tellsStatus: true });
