import type { Refuse } from '../../ground/errors';
import { FILTER_LIMITS } from '../question-limits';
import { FILTER_NAMES, GOAL, isFilterName, SAVED } from './filter';
import { mayBeUnset, type Operator, OPERATORS } from '../filter-operators';

const { levels: MAX_DEPTH, conditions: MAX_CONDITIONS, values: MAX_VALUES } = FILTER_LIMITS;
/** The operators of a list of filters. */
export const JOINING = ['and', 'or'] as const;
/** The operators of a filter. */
export const CHANGING = ['not', 'has_done', 'has_not_done'] as const;
const OF_HITS = [...Object.keys(OPERATORS), ...JOINING, ...CHANGING];

/** What filters may refer to. */
interface Words {
  operators: string[];
  names: string[];
}

const ALL: Words = { operators: [...OF_HITS, SAVED], names: FILTER_NAMES };
const WITHOUT_GOALS: Words = { operators: OF_HITS, names: FILTER_NAMES.filter((name) => name !== GOAL) };

/** Checks the filters of a query. They are joined by and. */
export function checkFilters(sent: unknown, refuse: Refuse): void {
  new FiltersCheck(refuse, ALL).list(sent, '', 1);
}

/** Checks filters that select something: they have a condition. */
export function checkSelection(sent: unknown, refuse: Refuse): void {
  checkConditions(sent, refuse, ALL);
}

/** Checks filters of the same kind that depend on hits alone, not on goals and saved filters. */
export function checkSelectionOfHits(sent: unknown, refuse: Refuse): void {
  checkConditions(sent, refuse, WITHOUT_GOALS);
}

function checkConditions(sent: unknown, refuse: Refuse, words: Words): void {
  let isRefused = false;
  const noting: Refuse = (place, problem) => {
    isRefused = true;
    return refuse(place, problem);
  };
  const check = new FiltersCheck(noting, words);
  check.list(sent, '', 1);
  if (!isRefused && check.conditions === 0) refuse('', 'must have a condition');
}

class FiltersCheck {
  conditions = 0;
  private filters = 0;
  private values = 0;

  constructor(
    private readonly refuse: Refuse,
    private readonly words: Words,
  ) {}

  list(sent: unknown, place: string, depth: number): void {
    if (Array.isArray(sent))
      for (const [index, one] of sent.entries()) this.filter(one, `${place}.${index}`, depth);
    else this.refuse(place, 'must be a list of filters');
  }

  private filter(sent: unknown, place: string, depth: number): void {
    const { operators } = this.words;
    if (depth > MAX_DEPTH) return this.refuse(place, `must not be more than ${MAX_DEPTH} levels deep`);
    if (++this.filters > MAX_CONDITIONS)
      return this.refuse('', `must have at most ${MAX_CONDITIONS} conditions`);
    if (!Array.isArray(sent)) return this.refuse(place, 'must be a list that begins with an operator');
    const [operator, ...operands] = sent as unknown[];
    if (!operators.includes(operator as string))
      return this.refuse(`${place}.0`, `must be one of ${operators.join(', ')}`);
    if (Object.hasOwn(OPERATORS, operator as string))
      return this.condition(operator as Operator, operands, place);
    if (operands.length !== 1)
      return this.refuse(place, `must be ["${operator as string}", …] with one operand`);
    if (operator === SAVED) this.saved(operands[0], `${place}.1`);
    else if ((JOINING as readonly unknown[]).includes(operator))
      this.list(operands[0], `${place}.1`, depth + 1);
    else this.filter(operands[0], `${place}.1`, depth + 1);
  }

  private saved(name: unknown, place: string): void {
    this.conditions++;
    if (!isText(name)) this.refuse(place, 'must be the name of a saved filter');
  }

  private condition(operator: Operator, operands: unknown[], place: string): void {
    const [name, values] = operands;
    this.conditions++;
    if (operands.length !== 2) return this.refuse(place, `must be ["${operator}", NAME, [VALUES]]`);
    if (!this.isAllowed(name))
      return this.refuse(`${place}.1`, `must be one of ${this.words.names.join(', ')}`);
    if (!Array.isArray(values) || values.length === 0)
      return this.refuse(`${place}.2`, 'must be a list of one or more values');
    this.values += values.length;
    if (this.values > MAX_VALUES) return this.refuse('', `must have at most ${MAX_VALUES} values`);
    const isUnsetAllowed = mayBeUnset(operator);
    for (const [index, value] of values.entries())
      if (!(isText(value) || (isUnsetAllowed && value === null)))
        return this.refuse(
          `${place}.2.${index}`,
          isUnsetAllowed ? 'must be a text or null' : 'must be a text that is not empty',
        );
  }

  private isAllowed(name: unknown): boolean {
    return isFilterName(name) && (name !== GOAL || this.words.names.includes(GOAL));
  }
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== '' && value.isWellFormed();
}
