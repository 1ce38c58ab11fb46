import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Places } from '../../statistics/page-answer';
import { Choice } from '../../statistics/filters/choices';
import { conditionText, KINDS } from '../conditions';
import { ConditionFields } from '../forms/condition-fields';
import { words } from '../words';
import { LEAST_STEPS, MOST_STEPS, movedUp, newStep, type StepDraft } from './step-drafts';

const { funnels, goals } = words;

interface Props {
  drafts: StepDraft[];
  places: Places;
  onChanged: (drafts: StepDraft[]) => void;
}

/** The steps of a funnel, in order. */
export function StepFields({ drafts, places, onChanged }: Props) {
  const list = useRef<HTMLOListElement>(null);
  const focused = useRef<number | undefined>(undefined);
  useLayoutEffect(() => {
    if (focused.current !== undefined) focusStep(list.current!.children[focused.current]!);
    focused.current = undefined;
  }, [drafts]);
  const change: Changed = (changed, index) => {
    focused.current = index;
    onChanged(changed);
  };
  return (
    <>
      <ol ref={list} class="step-fields">
        {drafts.map((draft, index) => (
          <li key={draft.key}>
            <fieldset>
              <legend>{funnels.step(index + 1)}</legend>
              <Acts {...{ drafts, index }} onChanged={change} />
              <OneStep
                {...{ draft, places }}
                onChanged={(by) => onChanged(drafts.map((one) => (one === draft ? by : one)))}
              />
            </fieldset>
          </li>
        ))}
      </ol>
      {drafts.length < MOST_STEPS && (
        <div>
          <button type="button" class="plain" onClick={() => change([...drafts, newStep()], drafts.length)}>
            {funnels.add}
          </button>
        </div>
      )}
    </>
  );
}

/** Changes the steps, and moves the focus into one of them. */
type Changed = (drafts: StepDraft[], index: number) => void;

/** The first field: its buttons may be others than before. */
const focusStep = (step: Element) => step.querySelector<HTMLElement>('select, input')!.focus();

interface StepProps {
  draft: StepDraft;
  places: Places;
  onChanged: (draft: StepDraft) => void;
}

function OneStep({ draft, places, onChanged }: StepProps) {
  const { key, name, condition, kept } = draft;
  const id = `step-${key}`;
  return (
    <>
      {condition ? (
        <>
          <Choice
            label={goals.kind}
            of={KINDS}
            wordOf={(kind) => goals.kinds[kind]}
            chosen={condition.kind}
            onChosen={(kind) => onChanged({ ...draft, condition: { ...condition, kind } })}
          />
          <ConditionFields
            {...{ id, condition, places }}
            onChanged={(changed) => onChanged({ ...draft, condition: changed })}
          />
        </>
      ) : (
        <p class="quiet">
          <bdi>{conditionText(kept)}</bdi> {funnels.keptStep}
        </p>
      )}
      <div class="field">
        <label for={`${id}-name`}>{funnels.stepName}</label>
        <input
          id={`${id}-name`}
          autocomplete="off"
          maxLength={100}
          value={name}
          onInput={({ currentTarget }) => onChanged({ ...draft, name: currentTarget.value })}
        />
      </div>
    </>
  );
}

interface ActsProps {
  drafts: StepDraft[];
  index: number;
  onChanged: Changed;
}

function Acts({ drafts, index, onChanged }: ActsProps) {
  const number = index + 1;
  return (
    <span class="step-acts">
      {index > 0 && (
        <button
          type="button"
          class="chip-act"
          aria-label={funnels.moveUp(number)}
          title={funnels.moveUp(number)}
          onClick={() => onChanged(movedUp(drafts, index), index - 1)}
        >
          <svg viewBox="0 0 16 16" aria-hidden="true">
            <path d="M8 13V3M4 7l4-4 4 4" />
          </svg>
        </button>
      )}
      {drafts.length > LEAST_STEPS && (
        <button
          type="button"
          class="chip-act"
          aria-label={funnels.removeStep(number)}
          title={funnels.removeStep(number)}
          onClick={() =>
            onChanged(
              drafts.filter((_, at) => at !== index),
              Math.min(index, drafts.length - 2),
            )
          }
        >
          <svg viewBox="0 0 16 16" aria-hidden="true">
            <path d="m4.5 4.5 7 7m0-7-7 7" />
          </svg>
        </button>
      )}
    </span>
  );
}
