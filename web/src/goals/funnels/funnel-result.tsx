import { Trouble } from '../../shared/notices';
import { useAnswer } from '../../shared/use-answer';
import { Bones } from '../../statistics/panels/entries';
import { conditionText } from '../conditions';
import type { Funnel } from '../definitions';
import type { View } from '../view';
import { words } from '../words';
import { type Breakdown, earlierFunnelQuery, type FunnelAnswer, funnelQuery, type Step } from './answer';
import { BreakdownTable } from './breakdown-table';
import { StepsList } from './steps-list';
import { StepsTable } from './steps-table';

interface Props extends View {
  funnel: Funnel;
  breakdown: Breakdown | undefined;
}

export function FunnelResult({ funnel, breakdown, ...view }: Props) {
  const asked = { ...view, funnel };
  const { data, failure, retry } = useAnswer<FunnelAnswer>(funnelQuery(asked, breakdown));
  const earlier = useAnswer<FunnelAnswer>(view.earlier && earlierFunnelQuery(asked, view.earlier));
  if (failure) return <Trouble failure={failure} retry={retry} />;
  if (!data) return <Bones rows={funnel.steps.length} />;
  const steps = stepsOf(data, view.earlier && !earlier.isLoading ? earlier.data : undefined);
  if (!steps[0]?.visitors) return <p class="nothing quiet">{words.funnels.nobody}</p>;
  return (
    <>
      <StepsList steps={steps} />
      <p class="quiet funnel-note">{words.funnels.note[funnel.within]}</p>
      {data.data.breakdown && breakdown && (
        <BreakdownTable name={breakdown} rows={data.data.breakdown} steps={steps} />
      )}
      <StepsTable steps={steps} />
    </>
  );
}

function stepsOf({ data, meta }: FunnelAnswer, earlier: FunnelAnswer | undefined): Step[] {
  return data.steps.map((step, index) => ({
    ...step,
    title: step.name ?? conditionText(meta.steps[index]?.filters ?? []),
    before: earlier?.data.steps[index]?.visitors,
  }));
}
