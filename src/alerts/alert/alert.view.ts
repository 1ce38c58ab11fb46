import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { RecipientView } from '../../recipients/recipient';
import type { FilterJson } from '../../../engine/questions/parse/filter';
import { NamedResourceView, shownAs } from '../../websites/resources/resource.view';
import type { Switch } from '../../websites/website.entity';
import { CONDITION, FILTERS, METRIC, QUIET_HOURS, SWITCHES, THRESHOLD, WITHIN } from './alert-fields';
import type { AlertMetric } from '../../../engine/questions/plan/metrics';
import type { AlertCondition, AlertSpan } from './alert-rules';
import type { Alert } from './alert.entity';

const switchView = (description: string) => ({
  type: 'integer' as const,
  enum: [0, 1],
  example: 1,
  description,
});

@ApiSchema({ description: 'What an owner watches for.' })
export class AlertView extends NamedResourceView {
  @ApiProperty(METRIC)
  metric!: AlertMetric;

  @ApiProperty(FILTERS)
  filters!: FilterJson[];

  @ApiProperty(CONDITION)
  condition!: AlertCondition;

  @ApiProperty(THRESHOLD)
  threshold!: number | null;

  @ApiProperty(WITHIN)
  within!: AlertSpan | null;

  @ApiProperty(QUIET_HOURS)
  quiet_hours!: number;

  @ApiProperty(switchView(SWITCHES.mail))
  mail!: Switch;

  @ApiProperty({ type: [RecipientView] })
  recipients!: RecipientView[];

  @ApiProperty(switchView(SWITCHES.webhook))
  webhook!: Switch;

  @ApiProperty(switchView(SWITCHES.enabled))
  enabled!: Switch;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    example: '2026-01-31T12:00:00.000Z',
    description: 'When it fired the last time.',
  })
  fired_at!: string | null;

  @ApiProperty({ type: Number, nullable: true, example: 512, description: 'The count then.' })
  fired_value!: number | null;

  @ApiProperty({
    type: String,
    nullable: true,
    example: null,
    description: 'Why it could not be checked the last time. It is checked again.',
  })
  error!: string | null;

  static of(this: void, alert: Alert): AlertView {
    const { metric, filters, condition, threshold, within, quietHours, mail, recipients, webhook, enabled } =
      alert;
    return shownAs(alert, {
      ...{ metric, filters, condition, threshold, within, quiet_hours: quietHours },
      ...{ mail, recipients, webhook, enabled },
      fired_at: alert.firedAt?.toISOString() ?? null,
      fired_value: alert.firedValue ?? null,
      error: alert.error ?? null,
    });
  }
}

export const ALERT_COLUMNS = [
  ...['id', 'name', 'metric', 'filters', 'condition', 'threshold', 'within', 'quiet_hours'],
  ...['mail', 'recipients', 'webhook', 'enabled', 'fired_at', 'fired_value', 'error'],
  ...['created_at', 'updated_at'],
] as (keyof AlertView)[];
