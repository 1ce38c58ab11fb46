import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../../engine/ground/gate';
import { filterOf, type ResolvedFilter } from '../../../../engine/questions/parse/filter';
import type { ConversionsRequest, ReadConversions } from '../../../../engine/questions/conversions-request';
import { HitStore } from '../../../../engine/port';

type Wanted = Omit<ConversionsRequest, 'goals'> & {
  ownerId: number;
  goals: ResolvedFilter[][];
};

/**
 * Finds conversions for work in the background. Users' queries go first. The readings for an owner are a caller of their
 * own, so that long ones do not refuse those for others.
 */
@Injectable()
export class ConversionsService {
  constructor(private readonly store: HitStore) {}

  read({ ownerId, goals, ...wanted }: Wanted): Promise<ReadConversions> {
    const caller: Caller = { owner: `conversions of ${ownerId}`, isAnonymous: true };
    const filters = goals.map((own) => filterOf(own)!);
    return this.store.ask('conversions', { ...wanted, goals: filters }, caller);
  }
}
