import { Column, Entity, Unique } from 'typeorm';
import type { FilterJson } from '../../engine/questions/parse/filter';
import { JsonColumn } from '../database/columns';
import { NamedResource } from '../websites/resources/resource.entity';
import type { Switch } from '../websites/website.entity';

/** What is left out of all statistics of a website. */
@Entity('exclusions')
@Unique('exclusions_of_website', ['websiteId', 'id'])
@Unique('exclusions_by_end', ['websiteId', 'toDay', 'id'])
export class Exclusion extends NamedResource {
  /** Without goals and saved filters. */
  @JsonColumn()
  filters!: FilterJson[];

  @Column({ type: 'varchar', length: 500, nullable: true })
  reason!: string | null;

  @Column({ name: 'from_day', type: 'integer' })
  fromDay!: number;

  /** Null if it goes on. */
  @Column({ name: 'to_day', type: 'integer', nullable: true })
  toDay!: number | null;

  /** Tells whether it was deleted when the hits of its days were gone. */
  @Column({ name: 'is_final', type: 'integer', default: 0 })
  final!: Switch;

  /** Tells whether its hits are being removed for good. */
  @Column({ name: 'is_purged', type: 'integer', default: 0 })
  purge!: Switch;

  /** The name of the key that made it. */
  @Column({ name: 'made_by', type: 'varchar', length: 100 })
  madeBy!: string;
}
