import { Column, Entity, PrimaryGeneratedColumn, Unique } from 'typeorm';
import type { Language } from '../../engine/ground/languages';
import { InstantColumn } from '../database/columns';

@Entity('users')
@Unique('users_email', ['email'])
export class User {
  @PrimaryGeneratedColumn({ type: 'bigint' })
  id!: number;

  @Column({ type: 'varchar', length: 254 })
  email!: string;

  /** The language of mails to the user. */
  @Column({ type: 'varchar', length: 16, default: 'en' })
  language!: Language;

  @InstantColumn({ name: 'created_at' })
  createdAt!: Date;
}
