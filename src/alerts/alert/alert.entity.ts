import { Column, Entity, Unique } from 'typeorm';
import { InstantColumn, JsonColumn } from '../../database/columns';
import type { Recipient } from '../../recipients/recipient';
import type { FilterJson } from '../../../engine/questions/parse/filter';
import { NamedResource } from '../../websites/resources/resource.entity';
import type { Switch } from '../../websites/website.entity';
import type { AlertMetric } from '../../../engine/questions/plan/metrics';
import type { AlertCondition, AlertRule, AlertSpan } from './alert-rules';

/** Columns that only checks write. */
const OF_CHECKS = { update: false } as const;

/** Columns that only checks read and write. */
const STATE_OF_CHECKS = { select: false, insert: false, update: false } as const;

/** What an owner watches for in the numbers of a website. */
@Entity('alerts')
@Unique('alerts_of_website', ['websiteId', 'id'])
@Unique('alerts_by_name', ['websiteId', 'name'])
@Unique('alerts_due', ['enabled', 'dueAt', 'id'])
export class Alert extends NamedResource implements AlertRule {
  @Column({ type: 'varchar', length: 16 })
  metric!: AlertMetric;

  @JsonColumn()
  filters!: FilterJson[];

  @Column({ name: 'alert_condition', type: 'varchar', length: 8 })
  condition!: AlertCondition;

  @JsonColumn({ type: 'varchar', length: 32 })
  threshold!: number | null;

  @Column({ type: 'varchar', length: 8, nullable: true })
  within!: AlertSpan | null;

  @Column({ name: 'quiet_hours', type: 'integer' })
  quietHours!: number;

  @Column({ type: 'integer' })
  mail!: Switch;

  @JsonColumn()
  recipients!: Recipient[];

  @Column({ type: 'integer' })
  webhook!: Switch;

  @Column({ type: 'integer' })
  enabled!: Switch;

  /** Since when it watches for what it does now. */
  @InstantColumn({ name: 'starts_at' })
  startsAt!: Date;

  /** When it is to be checked. */
  @InstantColumn({ name: 'due_at' })
  dueAt!: Date;

  @InstantColumn({ name: 'fired_at', nullable: true, ...OF_CHECKS })
  firedAt!: Date | null;

  @JsonColumn({ name: 'fired_value', type: 'varchar', length: 32, nullable: true, ...OF_CHECKS })
  firedValue!: number | null;

  /** Why it could not be checked the last time. */
  @Column({ type: 'varchar', length: 255, nullable: true, ...OF_CHECKS })
  error!: string | null;

  @Column({ name: 'judged_start', type: 'bigint', default: 0, ...STATE_OF_CHECKS })
  judgedStart?: number;

  @Column({ name: 'judged_until', type: 'bigint', default: 0, ...STATE_OF_CHECKS })
  judgedUntil?: number;

  @Column({ name: 'window_ends_at', type: 'bigint', default: 0, ...STATE_OF_CHECKS })
  windowEndsAt?: number;

  @Column({ name: 'judged_folds', type: 'bigint', default: -1, ...STATE_OF_CHECKS })
  judgedFolds?: number;

  @Column({ name: 'is_armed', type: 'integer', default: 0, ...STATE_OF_CHECKS })
  isArmed?: number;

  @Column({ type: 'integer', default: 0, ...STATE_OF_CHECKS })
  failures?: number;
}
