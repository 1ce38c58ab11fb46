import { Column, Entity, Unique } from 'typeorm';
import { JsonColumn } from '../../database/columns';
import type { FilterJson } from '../../../engine/questions/parse/filter';
import { NamedResource } from '../../websites/resources/resource.entity';
import type { Switch } from '../../websites/website.entity';

/** Filters with a name, which other filters can contain. */
@Entity('saved_filters')
@Unique('saved_filters_of_website', ['websiteId', 'id'])
@Unique('saved_filters_by_name', ['websiteId', 'name'])
export class SavedFilter extends NamedResource {
  @JsonColumn()
  filters!: FilterJson[];

  /** Tells whether the shared page shows the selected hits alone. One filter of a website at most. */
  @Column({ type: 'integer', default: 0 })
  shared!: Switch;
}
