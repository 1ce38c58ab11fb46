import { Column, Entity, Unique } from 'typeorm';
import { JsonColumn } from '../../database/columns';
import type { ResolvedFilter } from '../../../engine/questions/parse/filter';
import { NamedResource } from '../../websites/resources/resource.entity';

/** What visitors should do: the hits that its filters select. */
@Entity('goals')
@Unique('goals_of_website', ['websiteId', 'id'])
@Unique('goals_by_name', ['websiteId', 'name'])
export class Goal extends NamedResource {
  @JsonColumn()
  filters!: ResolvedFilter[];

  /** A decimal that each conversion is worth. Null if the events' own values count. */
  @Column({ type: 'varchar', length: 21, nullable: true })
  value!: string | null;

  @Column({ type: 'varchar', length: 3, nullable: true })
  currency!: string | null;
}
