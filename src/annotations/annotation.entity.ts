import { Column, Entity, Unique } from 'typeorm';
import { InstantColumn } from '../database/columns';
import { Resource } from '../websites/resources/resource.entity';
import type { Switch } from '../websites/website.entity';

/** What happened on a day or at a moment, for the chart of a website. */
@Entity('annotations')
@Unique('annotations_of_website', ['websiteId', 'id'])
@Unique('annotations_by_moment', ['websiteId', 'moment', 'id'])
export class Annotation extends Resource {
  /** Null if it is about a moment. */
  @Column({ type: 'integer', nullable: true })
  day!: number | null;

  /** The moment, or the one at which the day begins. */
  @InstantColumn()
  moment!: Date;

  @Column({ type: 'varchar', length: 280 })
  text!: string;

  /** Tells whether viewers of the shared page see it. */
  @Column({ name: 'is_public', type: 'integer' })
  public!: Switch;
}
