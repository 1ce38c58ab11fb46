import type { Span } from '../../../storage/calendar';
import { BUCKETS, type Buckets, type Zone } from '../plan/buckets';
import type { Check } from '../answer/deadline-check';
import type { Filter } from '../parse/filter';
import type { FilterMemory } from '../answer/filter-memory';
import { type QueryName, placeOf } from '../parse/names';
import { Selection } from './selection';

/** The filters of a request. Queries with the same filter share its selection. */
export class Selections {
  private readonly known = new Map<string, Selection>();
  private readonly buckets = new Map<QueryName, Buckets>();

  constructor(
    private readonly days: Span,
    private readonly zone: Zone,
    private readonly memory: FilterMemory,
    private readonly check: Check,
  ) {}

  of(filter: Filter): Selection {
    const key = JSON.stringify(filter);
    const known = this.known.get(key);
    if (known) return known;
    const selection = new Selection(filter, (name) => this.bucketsOf(name), this.check, this.memory);
    this.known.set(key, selection);
    return selection;
  }

  private bucketsOf(name: QueryName): Buckets {
    const place = placeOf(name);
    if (place.level !== 'moment') throw new Error(`${name} has no buckets`);
    const buckets = this.buckets.get(name) ?? BUCKETS[place.bucket](this.days, this.zone);
    this.buckets.set(name, buckets);
    return buckets;
  }
}
