import { Column, Entity } from 'typeorm';
import { JsonColumn } from '../../database/columns';
import type { FilterJson } from '../../../engine/questions/parse/filter';
import { NamedResource } from '../../websites/resources/resource.entity';
import type { Switch } from '../../websites/website.entity';

/** Filters with a name, which other filters can contain. */
@Entity('saved_filters')
export class SavedFilter extends NamedResource {
  @JsonColumn()
  filters!: FilterJson[];

  /** Whether the shared page shows the selected hits alone. One filter of a website at most. */
  @Column({ type: 'integer', default: 0 })
  shared!: Switch;
}
