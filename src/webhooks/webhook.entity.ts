import { Column, Entity, PrimaryGeneratedColumn, Unique, type ValueTransformer } from 'typeorm';
import { InstantColumn } from '../database/columns';
import type { Switch } from '../websites/website.entity';
import type { WebhookEvent, WebhookFormat } from './events';

const eventList: ValueTransformer = {
  to: (events: WebhookEvent[] | undefined) => events?.join(','),
  from: (stored: string) => stored.split(','),
};

/** The generation of a new webhook's secret. */
export const FIRST_GENERATION = 1;

/** The owner of deleted webhooks. Their deliveries are removed in the background. */
export const NOBODY = 0;

/** An address that gets the events of a user's websites. */
@Entity('webhooks')
@Unique('webhooks_of_user', ['userId', 'id'])
@Unique('webhooks_due', ['dueAt', 'id'])
export class Webhook {
  @PrimaryGeneratedColumn({ type: 'bigint' })
  id!: number;

  @Column({ name: 'user_id', type: 'bigint' })
  userId!: number;

  @Column({ type: 'varchar', length: 2000 })
  url!: string;

  @Column({ type: 'varchar', length: 64, transformer: eventList })
  events!: WebhookEvent[];

  @Column({ type: 'varchar', length: 16, default: 'milepost' })
  format!: WebhookFormat;

  @Column({ type: 'integer' })
  enabled!: Switch;

  /** Raised by each new secret. */
  @Column({ type: 'integer' })
  generation!: number;

  /** The first generation whose secret has the form of Standard Webhooks. */
  @Column({ name: 'standard_from', type: 'integer', default: FIRST_GENERATION })
  standardFrom!: number;

  /** When the first of its waiting deliveries is due, or earlier. In a pause, only what its owner asked for is due. */
  @InstantColumn({ name: 'due_at', nullable: true })
  dueAt!: Date | null;

  /** The last claim of one of its deliveries. 1970 without one. */
  @InstantColumn({ name: 'served_at' })
  servedAt!: Date;

  /** Tells whether the last attempt failed or took long, or its address is another since then. */
  @Column({ name: 'is_slow', type: 'integer' })
  isSlow!: Switch;

  /** Since the last success. */
  @Column({ type: 'integer', default: 0 })
  failures!: number;

  /** Until then only what its owner asks for is sent, after many failures. */
  @InstantColumn({ name: 'paused_until', nullable: true })
  pausedUntil!: Date | null;

  /** Raised by each change of its deliveries. */
  @Column({ type: 'bigint', default: 0 })
  changes!: number;

  @InstantColumn({ name: 'created_at' })
  createdAt!: Date;

  @InstantColumn({ name: 'updated_at' })
  updatedAt!: Date;
}
