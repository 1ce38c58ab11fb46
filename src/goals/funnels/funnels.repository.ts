import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database';
import { ResourcesRepository } from '../../websites/resources/resources.repository';
import { named } from '../../websites/resources/resource-rules';
import { Funnel } from './funnel.entity';

@Injectable()
export class FunnelsRepository extends ResourcesRepository<Funnel> {
  constructor(database: Database) {
    super(database, Funnel, named('funnel'));
  }
}
