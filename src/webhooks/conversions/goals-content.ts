import type { Goal } from '../../goals/goals/goal.entity';
import type { GoalConversions } from '../../../engine/questions/conversions-request';
import { MAX_LATEST } from '../../../engine/questions/conversions-request';
import { amountOf, decimalOf } from '../../../engine/hits/events/amount';
import { MAX_BODY_BYTES } from '../deliveries/delivery-body';

/** Left for what a delivery says besides the goals. */
const BYTES_OF_REST = 2048;

type ReachedGoal = Pick<Goal, 'id' | 'name' | 'value' | 'currency'>;

/** The conversions of several readings of the same goals, added up. */
export function addedUp(
  one: readonly GoalConversions[],
  other: readonly GoalConversions[],
): GoalConversions[] {
  return one.map((own, index) => {
    const more = other[index]!;
    const latest = [...own.latest, ...more.latest].sort((a, b) => b.at - a.at).slice(0, MAX_LATEST);
    const amounts = new Map(own.values.map(([currency, amount]) => [currency, BigInt(amount)]));
    for (const [currency, amount] of more.values)
      amounts.set(currency, (amounts.get(currency) ?? 0n) + BigInt(amount));
    return {
      conversions: own.conversions + more.conversions,
      values: [...amounts].map(([currency, amount]) => [currency, String(amount)] as const),
      latest,
    };
  });
}

/**
 * What a delivery says of the goals that were reached. With many goals, or long pages, fewer hits are shown. Undefined
 * if none was reached.
 */
export function goalsContent(
  goals: readonly ReachedGoal[],
  found: readonly GoalConversions[],
  range: { from: number; to: number },
): object | undefined {
  if (found.every(({ conversions }) => conversions === 0)) return undefined;
  const between = { from: new Date(range.from).toISOString(), to: new Date(range.to).toISOString() };
  for (let shown = MAX_LATEST; ; shown = Math.floor(shown / 2)) {
    const content = {
      goals: goals.flatMap((goal, index) => reached(goal, found[index]!, shown)),
      ...between,
    };
    const bytes = Buffer.byteLength(JSON.stringify(content));
    if (shown === 0 || bytes <= MAX_BODY_BYTES - BYTES_OF_REST) return content;
  }
}

function reached(goal: ReachedGoal, found: GoalConversions, shown: number): object[] {
  const { conversions, latest } = found;
  if (conversions === 0) return [];
  const hits = latest.slice(0, shown).map((hit) => ({ ...hit, at: new Date(hit.at * 1000).toISOString() }));
  return [{ id: goal.id, name: goal.name, conversions, ...worthOf(goal, found), latest: hits }];
}

/** The value of the goal for each conversion; without one, the events' values, if they have one currency. */
function worthOf(
  { value, currency }: ReachedGoal,
  { conversions, values }: GoalConversions,
): { value: string | null; currency: string | null } {
  if (value !== null) {
    const amount = BigInt(amountOf(value)!) * BigInt(conversions);
    return { value: decimalOf(String(amount)), currency };
  }
  const [only, ...others] = values;
  if (!only || others.length > 0) return { value: null, currency: null };
  return { value: decimalOf(only[1]), currency: only[0] };
}
