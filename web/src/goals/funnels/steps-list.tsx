import { changeOf, durationText, numberText, percentText, shareText } from '../../shared/format';
import { wordsOf } from '../../shared/language/value-labels';
import { toneOf } from '../../statistics/range-to-compare';
import { words } from '../words';
import type { Step } from './answer';

const { funnels } = words;

/** The steps as bars, and between them who went on and who left. */
export function StepsList({ steps, isComparable }: { steps: Step[]; isComparable: boolean }) {
  return (
    <ol class="steps-list">
      {steps.map((step, index) => (
        <li key={step.step}>
          <p class="step-head">
            <span class="step-title">
              <span class="quiet">{step.step}</span> <bdi>{step.title}</bdi>
            </span>
            <Change {...{ step, isComparable }} />
            <b>{numberText(step.visitors)}</b>
            <span class="part quiet">{step.share === null ? '–' : percentText(step.share)}</span>
          </p>
          <span class="step-bar">
            <span style={{ '--part': step.share ?? 0 }} />
          </span>
          {index < steps.length - 1 && <Between step={step} next={steps[index + 1]!} />}
        </li>
      ))}
    </ol>
  );
}

function Change({ step: { visitors, before }, isComparable }: { step: Step; isComparable: boolean }) {
  const change = changeOf(visitors, before);
  return change ? <span class={toneOf(change, isComparable)}>{change.text}</span> : <span />;
}

function Between({ step, next }: { step: Step; next: Step }) {
  const { visitors, drop_off: left, next_pages: pages } = step;
  const { share_of_previous: share, median_seconds: median, p90_seconds: p90 } = next;
  const parts = [
    share === null ? undefined : funnels.went(percentText(share)),
    median === null || p90 === null ? undefined : funnels.typical(durationText(median), durationText(p90)),
  ];
  const leftText = funnels.left(numberText(left), shareText(left, visitors));
  return (
    <div class="between quiet">
      <p>{parts.filter(Boolean).join(' · ')}</p>
      {pages.length === 0 ? (
        left > 0 && <p>{leftText}</p>
      ) : (
        <details>
          <summary>{leftText}</summary>
          <p>{funnels.then}</p>
          <ol>
            {pages.map(({ page, visitors }) => (
              <li key={page}>
                <bdi>{wordsOf('page', page)}</bdi> <b>{numberText(visitors)}</b>
              </li>
            ))}
          </ol>
        </details>
      )}
    </div>
  );
}
