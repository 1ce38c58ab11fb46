import { useRef } from 'preact/hooks';
import { type Failure, isIncomplete } from '../../shared/api';
import { Since, Trouble } from '../../shared/notices';
import { texts } from '../../shared/texts';
import { useAnswer } from '../../shared/use-answer';
import { sinceIn } from '../../statistics/coverage';
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

/** While the answer for another range or breakdown loads, the last one is shown as what it is. */
export function FunnelResult({ funnel, breakdown, ...view }: Props) {
  const asked = { ...view, funnel };
  const { data, isOther, failure, retry } = useAnswer<FunnelAnswer>(funnelQuery(asked, breakdown));
  const earlier = useEarlier(asked);
  const answered = useRef({ funnel, breakdown });
  if (failure?.kind === 'refused') return <p class="nothing quiet">{refusedText(failure)}</p>;
  if (failure) return <Trouble failure={failure} retry={retry} />;
  if (data && !isOther) answered.current = { funnel, breakdown };
  if (!data || answered.current.funnel.id !== funnel.id) return <Bones rows={funnel.steps.length} />;
  return (
    <div aria-busy={isOther} class={isOther ? 'older' : ''}>
      <Answered {...answered.current} {...view} answer={data} earlier={isOther ? undefined : earlier} />
    </div>
  );
}

/** The funnel is to blame if all problems are of its steps. */
function refusedText({ errors }: Failure): string {
  const problems = Object.entries(errors);
  if (problems.length === 0) return texts.failures.refused;
  if (problems.every(([field]) => /^(?:steps|funnel)\b/.test(field))) return words.funnels.refused;
  return problems.map(([field, said]) => `${field}: ${said.join(', ')}`).join('. ');
}

/** Undefined if nothing is compared, until it is known, and if hits of that age are no longer stored. */
function useEarlier(asked: View & { funnel: Funnel }): FunnelAnswer | undefined {
  const { data, isOther, failure } = useAnswer<FunnelAnswer>(
    asked.earlier && earlierFunnelQuery(asked, asked.earlier),
  );
  return data && !isOther && !failure && !isIncomplete(data) ? data : undefined;
}

interface AnsweredProps extends Omit<Props, 'earlier'> {
  answer: FunnelAnswer;
  earlier: FunnelAnswer | undefined;
}

function Answered({ funnel, breakdown, isComparable, span, first, answer, earlier }: AnsweredProps) {
  const since = sinceIn(answer, span, first);
  if (since !== undefined) return <Since day={since} span={span} />;
  const steps = stepsOf(answer, earlier);
  if (!steps[0]?.visitors) return <p class="nothing quiet">{words.funnels.nobody}</p>;
  return (
    <>
      <StepsList {...{ steps, isComparable }} />
      <p class="quiet funnel-note">{words.funnels.note[funnel.within]}</p>
      {answer.data.breakdown && breakdown && (
        <BreakdownTable name={breakdown} rows={answer.data.breakdown} steps={steps} />
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
