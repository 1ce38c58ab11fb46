import type { MigrationInterface } from 'typeorm';
import { CreateTables1796000000000 } from './1796000000000-create-tables';
import { AddGoals1797000000000 } from './1797000000000-add-goals';
import { AddAnnotations1797100000000 } from './1797100000000-add-annotations';
import { AddWebhooks1797200000000 } from './1797200000000-add-webhooks';
import { AddAlerts1797300000000 } from './1797300000000-add-alerts';
import { AddLanguageOfUsers1797400000000 } from './1797400000000-add-language-of-users';
import { AddPausesOfWebhooks1797500000000 } from './1797500000000-add-pauses-of-webhooks';
import { AddRegions1797600000000 } from './1797600000000-add-regions';
import { AddSizesOfDeliveries1797750000000 } from './1797750000000-add-sizes-of-deliveries';
import { AddAskedDeliveries1797800000000 } from './1797800000000-add-asked-deliveries';
import { AddDayBlocks1797930000000 } from './1797930000000-add-day-blocks';
import { AddReportRecipients1797940000000 } from './1797940000000-add-report-recipients';
import { AddPageFilters1797950000000 } from './1797950000000-add-page-filters';
import { AddJobs1797960000000 } from './1797960000000-add-jobs';
import { AddLeftOut1797965000000 } from './1797965000000-add-left-out';
import { AddExclusions1797966000000 } from './1797966000000-add-exclusions';
import { AddCampaignIds1797970000000 } from './1797970000000-add-campaign-ids';
import { AddTitles1797980000000 } from './1797980000000-add-titles';
import { AddRowsOfHits1797990000000 } from './1797990000000-add-rows-of-hits';
import { AddPurges1797995000000 } from './1797995000000-add-purges';
import { AddStandardSecrets1798000000000 } from './1798000000000-add-standard-secrets';
import { AddWebhookFormats1798010000000 } from './1798010000000-add-webhook-formats';
import { AddHomes1798120000000 } from './1798120000000-add-homes';

export const migrations: (new () => MigrationInterface)[] = [
  CreateTables1796000000000,
  AddGoals1797000000000,
  AddAnnotations1797100000000,
  AddWebhooks1797200000000,
  AddAlerts1797300000000,
  AddLanguageOfUsers1797400000000,
  AddPausesOfWebhooks1797500000000,
  AddRegions1797600000000,
  AddSizesOfDeliveries1797750000000,
  AddAskedDeliveries1797800000000,
  AddDayBlocks1797930000000,
  AddReportRecipients1797940000000,
  AddPageFilters1797950000000,
  AddJobs1797960000000,
  AddLeftOut1797965000000,
  AddExclusions1797966000000,
  AddCampaignIds1797970000000,
  AddTitles1797980000000,
  AddRowsOfHits1797990000000,
  AddPurges1797995000000,
  AddStandardSecrets1798000000000,
  AddWebhookFormats1798010000000,
  AddHomes1798120000000,
];
