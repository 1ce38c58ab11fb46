import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';
import { InstantColumn } from '../database/columns';

@Entity('users')
export class User {
  @PrimaryGeneratedColumn({ type: 'bigint' })
  id!: number;

  @Column({ type: 'varchar', length: 254, unique: true })
  email!: string;

  @InstantColumn({ name: 'created_at' })
  createdAt!: Date;
}
