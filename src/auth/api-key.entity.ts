import { Column, Entity, PrimaryGeneratedColumn, Unique, type ValueTransformer } from 'typeorm';
import { InstantColumn } from '../database/columns';

export const SCOPES = ['full', 'read', 'events', 'annotations'] as const;
export type Scope = (typeof SCOPES)[number];

export const MAX_WEBSITES_OF_KEY = 100;

const idList: ValueTransformer = {
  to: (ids: number[] | null | undefined) => ids?.join(',') ?? null,
  from: (stored: string | null) => stored?.split(',').map(Number) ?? null,
};

/** Only the hash of a key is stored, and its prefix for display. */
@Entity('api_keys')
@Unique('api_keys_hash', ['hash'])
@Unique('api_keys_of_user', ['userId', 'id'])
export class ApiKey {
  @PrimaryGeneratedColumn({ type: 'bigint' })
  id!: number;

  @Column({ name: 'user_id', type: 'bigint' })
  userId!: number;

  @Column({ type: 'varchar', length: 100 })
  name!: string;

  @Column({ type: 'varchar', length: 8 })
  prefix!: string;

  @Column({ type: 'varchar', length: 64 })
  hash!: string;

  @Column({ type: 'varchar', length: 16 })
  scope!: Scope;

  /** The ids of the websites that the key is limited to. */
  @Column({ name: 'website_ids', type: 'varchar', length: 2000, nullable: true, transformer: idList })
  websites!: number[] | null;

  @InstantColumn({ name: 'created_at' })
  createdAt!: Date;

  @InstantColumn({ name: 'expires_at', nullable: true })
  expiresAt!: Date | null;

  @InstantColumn({ name: 'revoked_at', nullable: true })
  revokedAt!: Date | null;

  @InstantColumn({ name: 'last_used_at', nullable: true })
  lastUsedAt!: Date | null;
}
