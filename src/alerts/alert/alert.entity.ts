import { Column, Entity } from 'typeorm';
import { InstantColumn, JsonColumn } from '../../database/columns';
import type { Recipient } from '../../recipients/recipient';
import type { FilterJson } from '../../../engine/questions/parse/filter';
import { NamedResource } from '../../websites/resources/resource.entity';
import type { Switch } from '../../websites/website.entity';
import type { AlertCondition, AlertMetric, AlertRule, AlertSpan } from './alert-rules';

/** Columns that only checks write. */
const OF_CHECKS = { update: false } as const;

/** What an owner watches for in the numbers of a website. */
@Entity('alerts')
export class Alert extends NamedResource implements AlertRule {
  @Column({ type: 'varchar', length: 16 })
  metric!: AlertMetric;

  @JsonColumn()
  filters!: FilterJson[];

  @Column({ name: 'alert_condition', type: 'varchar', length: 8 })
  condition!: AlertCondition;

  @JsonColumn()
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

  @JsonColumn({ name: 'fired_value', nullable: true, ...OF_CHECKS })
  firedValue!: number | null;

  /** Why it could not be checked the last time. */
  @Column({ type: 'varchar', length: 255, nullable: true, ...OF_CHECKS })
  error!: string | null;
}
