import type { FunnelStep } from '../../../goals/funnels/funnel-steps';
import type { FunnelStepResultView, FunnelResultView } from '../../dto/funnel.view';
import type { FunnelCounts, StepCounts } from '../../../../engine/questions/funnel-request';

const SHARE_UNITS = 10_000;

/** A funnel as it is shown. */
export function funnelViewOf(
  steps: FunnelStep[],
  { steps: counts, breakdown }: FunnelCounts,
  hasBreakdown: boolean,
): FunnelResultView {
  return {
    steps: steps.map(({ name }, index) => stepView(name, index, counts)),
    ...(hasBreakdown && { breakdown: [...breakdown] }),
  };
}

function stepView(name: string | null, index: number, counts: readonly StepCounts[]): FunnelStepResultView {
  const [own, next] = [counts[index]!, counts[index + 1]];
  return {
    step: index + 1,
    name,
    ...sharesOf(
      counts.map(({ visitors }) => visitors),
      index,
    ),
    drop_off: next ? own.visitors - next.visitors : 0,
    median_seconds: own.median ?? null,
    p90_seconds: own.p90 ?? null,
    next_pages: [...own.nextPages],
    ...(own.previous !== undefined && {
      previous: sharesOf(
        counts.map(({ previous = 0 }) => previous),
        index,
      ),
    }),
  };
}

function sharesOf(visitors: number[], index: number): NonNullable<FunnelStepResultView['previous']> {
  const own = visitors[index]!;
  return {
    visitors: own,
    share: shareOf(own, visitors[0]!),
    share_of_previous: index === 0 ? null : shareOf(own, visitors[index - 1]!),
  };
}

/** With four places. Null of nothing. */
function shareOf(part: number, all: number): number | null {
  return all === 0 ? null : Math.round((part / all) * SHARE_UNITS) / SHARE_UNITS;
}
