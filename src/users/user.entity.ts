import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';
import type { Language } from '../../engine/ground/languages';
import { InstantColumn } from '../database/columns';

@Entity('users')
export class User {
  @PrimaryGeneratedColumn({ type: 'bigint' })
  id!: number;

  @Column({ type: 'varchar', length: 254, unique: true })
  email!: string;

  /** The language of mails to the user. */
  @Column({ type: 'varchar', length: 16 })
  language!: Language;

  @InstantColumn({ name: 'created_at' })
  createdAt!: Date;
}
