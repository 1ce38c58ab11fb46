import { Column, PrimaryGeneratedColumn } from 'typeorm';
import { InstantColumn } from '../../database/columns';

/** Something that a website has several of, like goals. */
export abstract class Resource {
  @PrimaryGeneratedColumn({ type: 'bigint' })
  id!: number;

  @Column({ name: 'website_id', type: 'bigint' })
  websiteId!: number;

  @InstantColumn({ name: 'created_at' })
  createdAt!: Date;

  @InstantColumn({ name: 'updated_at' })
  updatedAt!: Date;
}

/** A resource that others refer to by its name, which is unique in the website. */
export abstract class NamedResource extends Resource {
  @Column({ type: 'varchar', length: 100 })
  name!: string;
}
