import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { IsIn, IsInt, Max, Min } from 'class-validator';
import { FILTERS_SCHEMA, IsStoredJson } from '../../goals/filters-field';
import { checkFilters } from '../../../engine/questions/parse/body-filters';
import { NotAllowed } from '../../../engine/ground/errors';
import { Clearable, IfSent, IsAllowed, IsSwitch, SENT_SWITCH } from '../../validation/rules';
import { integer, ReadAs } from '../../validation/transforms';
import { type Sent, sentWhen } from '../../websites/resources/resource-fields';
import { ALERT_METRICS } from '../../../engine/questions/plan/metrics';
import { ALERT_CONDITIONS, ALERT_SPANS, THRESHOLDS } from './alert-rules';

const MAX_QUIET_HOURS = 720;
export const DEFAULT_QUIET_HOURS = 24;

export const METRIC = {
  enum: ALERT_METRICS,
  example: 'visitors',
  description: 'What is counted, as in a query. With the condition silent it is events.',
};
export const CONDITION = {
  enum: ALERT_CONDITIONS,
  example: 'above',
  description:
    'above, below: the count is more or less than the threshold. rises, falls: it differs from the median of the same hour in the four weeks before by the threshold in percent. silent: nothing came for 24 hours after something had.',
};
export const THRESHOLD = {
  type: 'number',
  nullable: true,
  minimum: 0,
  maximum: THRESHOLDS.number,
  example: 500,
  description: `A count, or for rises (1 to ${THRESHOLDS.percent.toLocaleString('en')}) and falls (1 to ${THRESHOLDS.fall}) percent. None with the condition silent.`,
} as const;
export const WITHIN = {
  type: 'string',
  enum: [...ALERT_SPANS, null],
  nullable: true,
  example: 'hour',
  description:
    'A clock hour, or a day, in the time zone of the service. hour with rises and falls, none with the condition silent.',
} as const;
export const FILTERS = {
  ...FILTERS_SCHEMA,
  minItems: 0,
  example: [['is', 'country', ['DE']]],
  description:
    'Selects what is counted, as in a query. It may contain goals and saved filters of the website.',
} as const;
export const QUIET_HOURS = {
  type: 'integer',
  minimum: 1,
  maximum: MAX_QUIET_HOURS,
  example: DEFAULT_QUIET_HOURS,
  description: 'How long the alert does not fire again.',
} as const;
export const SWITCHES = {
  mail: 'Whether the owner gets a mail: 0 = No, 1 = Yes.',
  webhook: 'Whether webhooks of the owner with the event alert get a delivery: 0 = No, 1 = Yes.',
  enabled: 'Whether it is checked: 0 = No, 1 = Yes.',
};

const IsNamed = (names: readonly string[]) => IsIn(names, { message: `must be one of ${names.join(', ')}` });

export const IsMetric = () =>
  applyDecorators(IfSent(), IsNamed(ALERT_METRICS), ApiProperty({ ...METRIC, required: false }));

export const IsSpan = () =>
  applyDecorators(Clearable(), IsNamed(ALERT_SPANS), ApiProperty({ ...WITHIN, required: false }));

export const IsCondition = (sent: Sent) =>
  applyDecorators(
    sentWhen(sent),
    IsNamed(ALERT_CONDITIONS),
    ApiProperty({ ...CONDITION, required: sent === 'stored' }),
  );

export const IsThreshold = () =>
  applyDecorators(
    Clearable(),
    IsAllowed('isThreshold', (sent) => {
      if (typeof sent !== 'number' || !Number.isFinite(sent) || sent < 0)
        throw new NotAllowed('must be a number that is not negative');
    }),
    ApiProperty({ ...THRESHOLD, required: false }),
  );

export const IsFilters = () => IsStoredJson('changed', checkFilters, FILTERS);

export function IsQuietHours(): PropertyDecorator {
  const message = `must be an integer from 1 to ${MAX_QUIET_HOURS}`;
  return applyDecorators(
    IfSent(),
    ReadAs(integer),
    IsInt({ message }),
    Min(1, { message }),
    Max(MAX_QUIET_HOURS, { message }),
    ApiProperty({ ...QUIET_HOURS, default: DEFAULT_QUIET_HOURS, required: false }),
  );
}

export const IsSwitchOf = (name: keyof typeof SWITCHES) =>
  applyDecorators(
    IfSent(),
    IsSwitch(),
    ApiProperty({
      ...SENT_SWITCH,
      required: false,
      default: 1,
      description: SWITCHES[name],
    }),
  );
