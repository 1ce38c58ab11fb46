import { FILTER_LIMITS } from '../../engine/questions/question-limits';
import { InvalidFields } from '../../engine/ground/errors';
import { quotedBegin } from '../../engine/ground/text-order';
import {
  type FilterJson,
  GOAL,
  leavesIn,
  type ResolvedFilter,
  SAVED,
} from '../../engine/questions/parse/filter';
import { type Operator, OPERATORS, passingOne } from '../../engine/questions/filter-operators';
import type { Goal } from './goals/goal.entity';

export type GoalDefinition = Pick<Goal, 'name' | 'filters' | 'value' | 'currency'>;

/** Like a map. */
export interface FiltersByName {
  get(name: string): FilterJson[] | undefined;
  keys(): Iterable<string>;
}

/** What the names of goals and saved filters in a website's filters stand for. */
export interface WebsiteDefinitions {
  /** In the order of their names. */
  readonly goals: readonly GoalDefinition[];
  /** The filters of each saved filter, by its name. */
  readonly saved: FiltersByName;
}

/** Tells whether filters have a meaning only with the definitions of a website. */
export function needsDefinitions(filters: readonly FilterJson[]): boolean {
  return leavesIn(filters).some(([operator, name]) => operator === SAVED || name === GOAL);
}

export function isResolved(filters: FilterJson[]): filters is ResolvedFilter[] {
  return !needsDefinitions(filters);
}

/** How filters were sent. */
interface Sent {
  /** Tells whether they were one text, whose parts have no places. */
  asText?: boolean;
  /** The name of the saved filter that they are. */
  savedAs?: string;
}

/**
 * The filters without goals and saved filters. Throws InvalidFields for a name that the website does not have, at its
 * place below `path`, and for filters that are too large then.
 */
export function resolve(
  filters: FilterJson[],
  definitions: WebsiteDefinitions,
  path: string,
  { asText = false, savedAs }: Sent = {},
): ResolvedFilter[] {
  const at = { place: path, isNamed: asText, depth: 1, saved: savedAs === undefined ? [] : [savedAs] };
  return new Resolution(definitions, path).list(filters, at);
}

/** Where a filter is. */
interface At {
  place: string;
  /** Tells whether it is a part of what a name stands for, and has no place of its own. */
  isNamed: boolean;
  depth: number;
  /** The saved filters around it. */
  saved: readonly string[];
}

class Resolution {
  private conditions = 0;
  private values = 0;
  private names = 0;

  constructor(
    private readonly definitions: WebsiteDefinitions,
    private readonly path: string,
  ) {}

  list(filters: readonly FilterJson[], at: At): ResolvedFilter[] {
    return filters.map((filter, index) => this.single(filter, partOf(at, index)));
  }

  private single(filter: FilterJson, at: At): ResolvedFilter {
    if (at.depth > FILTER_LIMITS.levels) throw this.tooLarge(`${FILTER_LIMITS.levels} levels`);
    const inside = { ...partOf(at, 1), depth: at.depth + 1 };
    switch (filter[0]) {
      case SAVED:
        return this.saved(filter[1], inside);
      case 'and':
        return ['and', this.list(filter[1], inside)];
      case 'or':
        return ['or', this.list(filter[1], inside)];
      case 'not':
        return ['not', this.single(filter[1], inside)];
      case 'has_done':
        return ['has_done', this.single(filter[1], inside)];
      case 'has_not_done':
        return ['has_not_done', this.single(filter[1], inside)];
      default: {
        const [operator, name, values] = filter;
        if (name === GOAL) return this.goals(operator, values, { ...partOf(at, 2), depth: at.depth + 1 });
        this.count(values.length);
        return [operator, name, values];
      }
    }
  }

  private saved(name: string, at: At): ResolvedFilter {
    const filters = this.definitions.saved.get(name);
    if (!filters) throw invalid(at.place, `has no saved filter ${quotedBegin(name)}`);
    if (at.saved.includes(name)) throw invalid(at.place, `contains itself: ${chain([...at.saved, name])}`);
    const saved = [...at.saved, name];
    if (saved.length > FILTER_LIMITS.savedLevels)
      throw invalid(
        at.place,
        `is more than ${FILTER_LIMITS.savedLevels} saved filters deep: ${chain(saved)}`,
      );
    return joined('and', this.list(filters, { ...at, isNamed: true, saved }));
  }

  /** A hit passes if it reaches one of the goals that pass. It may reach several. */
  private goals(operator: Operator, values: (string | null)[], at: At): ResolvedFilter {
    const { negated } = OPERATORS[operator];
    const { conditions } = this;
    const alternatives = this.passing(operator, values, at).map((goal) => this.goal(goal, at));
    if (values.includes(null)) alternatives.push(['not', this.anyGoal(at)]);
    // What stands for nothing must count, or saved filters could contain it without end.
    if (this.conditions === conditions) this.count(0);
    const any = joined('or', alternatives);
    return negated ? ['not', any] : any;
  }

  private passing(operator: Operator, values: (string | null)[], at: At): readonly GoalDefinition[] {
    const { test } = OPERATORS[operator];
    const { goals } = this.definitions;
    // Each name is compared with all goals.
    if ((this.names += values.length) > FILTER_LIMITS.values)
      throw this.tooLarge(`${FILTER_LIMITS.values} names of goals`);
    if (test !== 'is') {
      const passes = passingOne(test, values, () => undefined);
      return goals.filter(({ name }) => passes(name));
    }
    for (const [index, value] of values.entries())
      if (value !== null && !goals.some(({ name }) => name === value))
        throw invalid(partOf(at, index).place, `has no goal ${quotedBegin(value)}`);
    return goals.filter(({ name }) => values.includes(name));
  }

  private anyGoal(at: At): ResolvedFilter {
    return joined(
      'or',
      this.definitions.goals.map((goal) => this.goal(goal, at)),
    );
  }

  private goal({ filters }: GoalDefinition, at: At): ResolvedFilter {
    return joined('and', this.list(filters, { ...at, isNamed: true }));
  }

  private count(values: number): void {
    const { conditions, values: most } = FILTER_LIMITS;
    if (++this.conditions > conditions) throw this.tooLarge(`${conditions} conditions`);
    if ((this.values += values) > most) throw this.tooLarge(`${most} values`);
  }

  private tooLarge(most: string): InvalidFields {
    return invalid(this.path, `must have at most ${most}, with what its goals and saved filters stand for`);
  }
}

function invalid(place: string, problem: string): InvalidFields {
  return new InvalidFields({ [place]: [problem] });
}

function partOf(at: At, part: number): At {
  return at.isNamed ? at : { ...at, place: `${at.place}.${part}` };
}

function joined(by: 'and' | 'or', filters: ResolvedFilter[]): ResolvedFilter {
  return filters.length === 1 ? filters[0]! : [by, filters];
}

function chain(names: string[]): string {
  return names.map(quotedBegin).join(' → ');
}
