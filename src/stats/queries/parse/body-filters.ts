import type { Refuse } from '../../../validation/marks';
import { FILTER_LIMITS } from './filter';
import { QUERY_NAMES, isQueryName } from './names';
import { mayBeUnset, type Operator, OPERATORS } from './operators';

const { levels: MAX_DEPTH, conditions: MAX_CONDITIONS, values: MAX_VALUES } = FILTER_LIMITS;
const ALLOWED = [...Object.keys(OPERATORS), 'and', 'or', 'not', 'has_done', 'has_not_done'];

/** Checks the filters of a query. They are joined by and. */
export function checkFilters(sent: unknown, refuse: Refuse): void {
  new FiltersCheck(refuse).list(sent, '', 1);
}

class FiltersCheck {
  private conditions = 0;
  private values = 0;

  constructor(private readonly refuse: Refuse) {}

  list(sent: unknown, place: string, depth: number): void {
    if (Array.isArray(sent))
      for (const [index, one] of sent.entries()) this.filter(one, `${place}.${index}`, depth);
    else this.refuse(place, 'must be a list of filters');
  }

  private filter(sent: unknown, place: string, depth: number): void {
    if (depth > MAX_DEPTH) return this.refuse(place, `must not be more than ${MAX_DEPTH} levels deep`);
    if (++this.conditions > MAX_CONDITIONS)
      return this.refuse('', `must have at most ${MAX_CONDITIONS} conditions`);
    if (!Array.isArray(sent)) return this.refuse(place, 'must be a list that begins with an operator');
    const [operator, ...operands] = sent as unknown[];
    if (!ALLOWED.includes(operator as string))
      return this.refuse(`${place}.0`, `must be one of ${ALLOWED.join(', ')}`);
    if (Object.hasOwn(OPERATORS, operator as string))
      return this.condition(operator as Operator, operands, place);
    if (operands.length !== 1)
      return this.refuse(place, `must be ["${operator as string}", …] with one operand`);
    if (operator === 'and' || operator === 'or') this.list(operands[0], `${place}.1`, depth + 1);
    else this.filter(operands[0], `${place}.1`, depth + 1);
  }

  private condition(operator: Operator, operands: unknown[], place: string): void {
    const [name, values] = operands;
    if (operands.length !== 2) return this.refuse(place, `must be ["${operator}", NAME, [VALUES]]`);
    if (!isQueryName(name)) return this.refuse(`${place}.1`, `must be one of ${QUERY_NAMES.join(', ')}`);
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
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== '' && value.isWellFormed();
}
