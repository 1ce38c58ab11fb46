import { Alert } from './alerts/alert/alert.entity';
import { Annotation } from './annotations/annotation.entity';
import { ApiKey } from './auth/api-key.entity';
import { APPLICATION_TABLES } from './database/tables';
import { Exclusion } from './exclusions/exclusion.entity';
import { Funnel } from './goals/funnels/funnel.entity';
import { Goal } from './goals/goals/goal.entity';
import { SavedFilter } from './goals/saved-filters/saved-filter.entity';
import { ENGINE_TABLES, ROW_TABLES } from './hits/entities';
import { User } from './users/user.entity';
import { Webhook } from './webhooks/webhook.entity';
import { Website } from './websites/website.entity';

/** A schema for each table: a class where there is a repository of TypeORM. */
export const ENTITIES = [
  User,
  ApiKey,
  Website,
  Annotation,
  Goal,
  SavedFilter,
  Funnel,
  Webhook,
  Alert,
  Exclusion,
  ...APPLICATION_TABLES,
  ...ENGINE_TABLES,
  ...ROW_TABLES,
];
