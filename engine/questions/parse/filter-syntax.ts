import { quotedBegin as quoted } from '../../ground/text-order';
import { NotAllowed } from '../../ground/errors';
import { FILTER_LIMITS, QUESTION_LIMITS } from '../question-limits';
import { FILTER_NAMES, type FilterJson, isFilterName, SAVED } from './filter';
import { mayBeUnset, type Operator, OPERATORS } from '../filter-operators';

const MAX_BYTES = QUESTION_LIMITS.filterBytes;
const MAX_CONDITIONS = FILTER_LIMITS.conditions;

const NAMES = new Map(
  (Object.keys(OPERATORS) as Operator[]).map((operator) => [OPERATORS[operator].symbol as string, operator]),
);
const SYMBOLS = [...NAMES.keys()];
const CONDITION = new RegExp(
  `^([^=!]*)(${SYMBOLS.map((symbol) => symbol.replace(/[$^]/, '\\$&')).join('|')})(.*)$`,
  's',
);

/**
 * Parses a filter in the syntax of Matomo's segments: conditions joined by `,` for or, which binds closer, and `;` for
 * and. Names and values are percent-encoded, so that they may contain these characters.
 */
export function parseFilterSyntax(text: string): FilterJson[] {
  if (Buffer.byteLength(text) > MAX_BYTES)
    throw new NotAllowed(`must have at most ${MAX_BYTES.toLocaleString('en')} bytes`);
  const alternatives = text.split(';').map((part) => part.split(','));
  if (alternatives.flat().length > MAX_CONDITIONS)
    throw new NotAllowed(`must have at most ${MAX_CONDITIONS} conditions`);
  return alternatives.map((conditions) => {
    const parsed = conditions.map(condition);
    return parsed.length === 1 ? parsed[0]! : ['or', parsed];
  });
}

function condition(text: string): FilterJson {
  const [, sentName, symbol = '', sent = ''] = CONDITION.exec(text) ?? [];
  if (sentName === undefined)
    throw new NotAllowed(
      `contains an invalid condition ${quoted(text)}; expected NAME OP VALUE, where OP is one of ${SYMBOLS.join(' ')}`,
    );
  const name = decodeListPart(sentName);
  const operator = NAMES.get(symbol)!;
  if (name === SAVED) return savedFilter(operator, sentName + symbol, decodeListPart(sent));
  if (!isFilterName(name))
    throw new NotAllowed(
      `has the unknown name ${quoted(name)} (allowed: ${[...FILTER_NAMES, SAVED].join(', ')})`,
    );
  if (sent === '' && !mayBeUnset(operator))
    throw new NotAllowed(`needs a value behind ${quoted(sentName + symbol)}; only == and != may have none`);
  return [operator, name, [sent === '' ? null : decodeListPart(sent)]];
}

function savedFilter(operator: Operator, sent: string, name: string): FilterJson {
  if (operator !== 'is' && operator !== 'is_not')
    throw new NotAllowed(`has ${quoted(sent)}; ${SAVED} can only be followed by == or !=`);
  if (name === '') throw new NotAllowed(`needs the name of a saved filter behind ${quoted(sent)}`);
  return operator === 'is' ? [SAVED, name] : ['not', [SAVED, name]];
}

/** Decodes a percent-encoded name or value of a list. */
export function decodeListPart(sent: string): string {
  try {
    return decodeURIComponent(sent);
  } catch {
    throw new NotAllowed(`has a broken percent escape in ${quoted(sent)}`);
  }
}
