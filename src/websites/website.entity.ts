import { Column, Entity, PrimaryGeneratedColumn, Unique } from 'typeorm';
import { InstantColumn } from '../database/columns';
import { Privacy } from './privacy/privacy';

export type Switch = 0 | 1;

@Entity('websites')
@Unique('websites_domain', ['domain'])
@Unique('websites_of_user', ['userId', 'id'])
@Unique('websites_of_user_by_domain', ['userId', 'domain'])
export class Website {
  @PrimaryGeneratedColumn({ type: 'bigint' })
  id!: number;

  @Column({ name: 'user_id', type: 'bigint' })
  userId!: number;

  @Column({ type: 'varchar', length: 253 })
  domain!: string;

  @Column({ type: 'integer' })
  privacy!: Privacy;

  @Column({ name: 'password_hash', type: 'varchar', length: 255, nullable: true })
  passwordHash!: string | null;

  @Column({ type: 'integer' })
  email!: Switch;

  @Column({ name: 'exclude_bots', type: 'integer' })
  excludeBots!: Switch;

  @Column({ name: 'exclude_params', type: 'text', nullable: true })
  excludeParams!: string | null;

  @Column({ name: 'exclude_ips', type: 'text', nullable: true })
  excludeIps!: string | null;

  @Column({ name: 'allowed_origins', type: 'text', nullable: true })
  allowedOrigins!: string | null;

  @Column({ name: 'share_filters', type: 'integer', default: 0 })
  shareFilters!: Switch;

  @Column({ type: 'integer', default: 0 })
  titles!: Switch;

  /** Raised by each change of `privacy` or the password, which revokes access granted to viewers before. */
  @Column({ name: 'access_version', type: 'integer', default: 0 })
  accessVersion!: number;

  @InstantColumn({ name: 'favorited_at', nullable: true })
  favoritedAt!: Date | null;

  @InstantColumn({ name: 'created_at' })
  createdAt!: Date;

  @InstantColumn({ name: 'updated_at' })
  updatedAt!: Date;
}
