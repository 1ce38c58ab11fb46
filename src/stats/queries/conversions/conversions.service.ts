import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../common/gate';
import { QueryThreads } from '../../threads/query-threads';
import { filterOf, type ResolvedFilter } from '../parse/filter';
import type { ConversionsRequest, ReadConversions } from './conversions-request';

type Wanted = Pick<ConversionsRequest, 'websiteId' | 'from' | 'places'> & { goals: ResolvedFilter[][] };

/** Finds conversions for work in the background. Users' queries go first. */
@Injectable()
export class ConversionsService {
  private readonly caller: Caller = { owner: 0, isAnonymous: true };

  constructor(private readonly threads: QueryThreads) {}

  read({ goals, ...wanted }: Wanted): Promise<ReadConversions> {
    const filters = goals.map((own) => filterOf(own)!);
    return this.threads.scan('conversions', { ...wanted, goals: filters }, this.caller);
  }
}
