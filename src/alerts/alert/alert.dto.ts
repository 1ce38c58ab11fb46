import type { FilterJson } from '../../../engine/questions/parse/filter';
import { AreRecipients } from '../../recipients/recipients-field';
import { IfSent } from '../../validation/rules';
import { IsResourceName } from '../../websites/resources/resource-fields';
import type { Switch } from '../../websites/website.entity';
import {
  IsCondition,
  IsFilters,
  IsMetric,
  IsQuietHours,
  IsSpan,
  IsSwitchOf,
  IsThreshold,
} from './alert-fields';
import type { AlertMetric } from '../../../engine/questions/plan/metrics';
import type { AlertCondition, AlertSpan } from './alert-rules';

export const MANY_VISITORS = {
  name: 'Many visitors',
  metric: 'visitors',
  condition: 'above',
  threshold: 500,
  within: 'hour',
};

class AlertFields {
  @IsMetric()
  metric?: AlertMetric;

  @IsFilters()
  filters?: FilterJson[];

  @IsThreshold()
  threshold?: number | null;

  @IsSpan()
  within?: AlertSpan | null;

  @IsQuietHours()
  quiet_hours?: number;

  @IsSwitchOf('mail')
  mail?: Switch;

  @IfSent()
  @AreRecipients({ required: false })
  recipients?: string[];

  @IsSwitchOf('webhook')
  webhook?: Switch;

  @IsSwitchOf('enabled')
  enabled?: Switch;
}

export class StoreAlert extends AlertFields {
  @IsResourceName('stored', MANY_VISITORS.name)
  name!: string;

  @IsCondition('stored')
  condition!: AlertCondition;
}

export class UpdateAlert extends AlertFields {
  @IsResourceName('changed', MANY_VISITORS.name)
  name?: string;

  @IsCondition('changed')
  condition?: AlertCondition;
}
