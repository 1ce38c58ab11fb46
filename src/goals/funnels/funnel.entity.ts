import { Column, Entity } from 'typeorm';
import { JsonColumn } from '../../database/columns';
import type { FilterJson } from '../../stats/queries/parse/filter';
import { NamedResource } from '../../websites/resources/resource.entity';

export interface FunnelStep {
  name: string | null;
  filters: FilterJson[];
}

/** Steps that visitors take one after the other. */
@Entity('funnels')
export class Funnel extends NamedResource {
  @JsonColumn()
  steps!: FunnelStep[];

  /** Whether the hit of a step is any later one, or the next one. */
  @Column({ name: 'step_order', type: 'varchar', length: 8 })
  order!: 'open' | 'strict';

  @Column({ type: 'varchar', length: 8 })
  within!: 'visit' | 'day';
}
