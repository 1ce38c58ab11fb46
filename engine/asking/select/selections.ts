import type { Span } from '../../hits/calendar';
import type { DayOfHits } from '../../hits/hit-block';
import { BUCKETS, type Buckets, type Zone } from '../../questions/plan/buckets';
import type { Check } from '../../ground/deadline-check';
import type { Filter } from '../../questions/parse/filter';
import type { FilterMemory } from '../memory/filter-memory';
import { type QueryName, originOf } from '../../questions/parse/names';
import { HitClasses } from './classes/hit-classes';
import { Selection } from './selection';

/** The filters of a request. Queries with the same filter share its selection. */
export class Selections {
  private readonly known = new Map<string, Selection>();
  private readonly classes = new Map<string, HitClasses>();
  private readonly buckets = new Map<QueryName, Buckets>();

  private readonly days: Span;

  constructor(
    /** In order. */
    days: readonly Pick<DayOfHits, 'day'>[],
    private readonly zone: Zone,
    private readonly memory: FilterMemory,
    private readonly check: Check,
  ) {
    this.days = { from: days[0]?.day ?? 0, to: days.at(-1)?.day ?? 0 };
  }

  of(filter: Filter): Selection {
    const key = JSON.stringify(filter);
    const known = this.known.get(key);
    if (known) return known;
    const selection = this.selectionOf(filter);
    this.known.set(key, selection);
    return selection;
  }

  /** Many filters at once. */
  classesOf(filters: Filter[]): HitClasses {
    const key = JSON.stringify(filters);
    const known = this.classes.get(key);
    if (known) return known;
    const classes = new HitClasses(filters, (filter) => this.selectionOf(filter), this.check, this.memory);
    this.classes.set(key, classes);
    return classes;
  }

  private selectionOf(filter: Filter): Selection {
    return new Selection(filter, (name) => this.bucketsOf(name), this.check, this.memory);
  }

  private bucketsOf(name: QueryName): Buckets {
    const origin = originOf(name);
    if (origin.level !== 'moment') throw new Error(`${name} has no buckets`);
    const buckets = this.buckets.get(name) ?? BUCKETS[origin.bucket](this.days, this.zone);
    this.buckets.set(name, buckets);
    return buckets;
  }
}
