import { Column, Entity, Unique } from 'typeorm';
import { JsonColumn } from '../../database/columns';
import { NamedResource } from '../../websites/resources/resource.entity';
import type { FunnelOrder, FunnelWithin } from '../../../engine/questions/funnel-request';
import type { FunnelStep } from './funnel-steps';

/** Steps that visitors take one after the other. */
@Entity('funnels')
@Unique('funnels_of_website', ['websiteId', 'id'])
@Unique('funnels_by_name', ['websiteId', 'name'])
export class Funnel extends NamedResource {
  @JsonColumn()
  steps!: FunnelStep[];

  @Column({ name: 'step_order', type: 'varchar', length: 8 })
  order!: FunnelOrder;

  @Column({ type: 'varchar', length: 8 })
  within!: FunnelWithin;
}
