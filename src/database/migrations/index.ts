import { CreateTables1795132800000 } from './1795132800000-create-tables';
import { CountEvents1795136400000 } from './1795136400000-count-events';
import { PackClosedDays1795305600000 } from './1795305600000-pack-closed-days';
import { ShareRequestCounts1795341001000 } from './1795341001000-share-request-counts';
import { RepeatStores1795341002000 } from './1795341002000-repeat-stores';
import { LimitKeys1795341003000 } from './1795341003000-limit-keys';
import { ReportDeliveries1795345000000 } from './1795345000000-report-deliveries';
import { PropertyNames1795345100000 } from './1795345100000-property-names';
import { VersionAccess1795346000000 } from './1795346000000-version-access';
import { EndedSessions1795347000000 } from './1795347000000-ended-sessions';
import { CollectedNames1795348000000 } from './1795348000000-collected-names';
import { ShareFilters1795349000000 } from './1795349000000-share-filters';

export const migrations = [
  CreateTables1795132800000,
  CountEvents1795136400000,
  PackClosedDays1795305600000,
  ShareRequestCounts1795341001000,
  RepeatStores1795341002000,
  LimitKeys1795341003000,
  ReportDeliveries1795345000000,
  PropertyNames1795345100000,
  VersionAccess1795346000000,
  EndedSessions1795347000000,
  CollectedNames1795348000000,
  ShareFilters1795349000000,
];
