import { useState } from 'preact/hooks';
import { conditionText, filterOf } from '../../../../goals/conditions';
import { type Exclusion, store, type StoredFilters, update } from '../../../../goals/definitions';
import { words as goalWords } from '../../../../goals/words';
import { texts } from '../../../../shared/texts';
import { AddFilter } from '../../../../statistics/filters/add-filter';
import { FilterList } from '../../../../statistics/filters/filter-bar';
import { asJson, type Filter } from '../../../../statistics/filters/filters';
import type { Places } from '../../../../statistics/page-answer';
import type { Own, Reading } from '../../../../statistics/reading';
import { Dialog, DialogForm } from '../../../forms/dialog';
import { Field } from '../../../forms/field';
import { type Task, useTask } from '../../../forms/use-task';
import { showToast } from '../../../frame/toast';
import { Switch } from '../option-fields';
import { Preview } from './preview';

const words = goalWords.exclusions;
const { fields } = words;
const DAYS = ['from', 'to'] as const;
const TEXTS = { name: 100, reason: 500 };
/** The fields with a place for their errors. */
const SHOWN = ['name', 'filters', 'reason', ...DAYS];

interface Props {
  own: Own;
  places: Places;
  domain: string;
  /** Today, in the time zone of the service. */
  today: string;
  /** Undefined for a new one. */
  exclusion: Exclusion | undefined;
  onSaved: () => void;
  onClosed: () => void;
}

/** What a form excludes, before it has a name. */
interface Draft {
  /** Undefined for filters that the form does not have. They are kept. */
  filters: Filter[] | undefined;
  from: string;
  to: string;
  /** Tells whether filters that select everything are meant. */
  isAll: boolean;
}

function draftOf(exclusion: Exclusion | undefined): Draft {
  const { filters, from, to } = exclusion ?? { filters: [], from: null, to: null };
  const known = filters.flatMap((one) => filterOf(one) ?? []);
  return {
    filters: known.length === filters.length ? known : undefined,
    ...{ from: from ?? '', to: to ?? '' },
    isAll: exclusion?.filters.length === 0,
  };
}

/** The form of an exclusion. One with other filters than those of the page keeps them. */
export function ExclusionDialog({ own, places, domain, today, exclusion, onSaved, onClosed }: Props) {
  const task = useTask();
  const [first] = useState(() => draftOf(exclusion));
  const [draft, setDraft] = useState(first);
  const set = (changes: Partial<Draft>) => setDraft({ ...draft, ...changes });
  const reading: Reading = { domain, places, own, isOwner: true, mayFilter: true, isLiveWhole: true };
  const filters = draft.filters ? draft.filters.map(asJson) : exclusion!.filters;
  const isMeant = filters.length > 0 || draft.isAll;
  const save = (form: FormData, close: () => void) => {
    const sent = { ...textsIn(form), ...fieldsOf(draft) };
    task.run(async () => {
      await (exclusion ? update(own, 'exclusions', exclusion.id, sent) : store(own, 'exclusions', sent));
      showToast(words.saved);
      close();
      onSaved();
    });
  };
  return (
    <Dialog title={exclusion ? words.edit : words.create} kind="definition" onClosed={onClosed}>
      {(close) => (
        <>
          <FiltersField {...{ draft, reading, task }} kept={exclusion?.filters} onChanged={set} />
          <DialogForm
            {...{ task, close }}
            shown={SHOWN}
            button={words.save}
            onSubmit={(form) => save(form, close)}
          >
            <Days {...{ draft, task }} onChanged={set} />
            <Preview
              {...{ places, today }}
              filters={isMeant ? filters : undefined}
              from={draft.from}
              to={draft.to}
              isFurther={exclusion !== undefined}
            />
            <Texts {...{ exclusion, task }} />
          </DialogForm>
        </>
      )}
    </Dialog>
  );
}

function Texts({ exclusion, task }: Pick<Props, 'exclusion'> & { task: Task }) {
  return (
    <>
      <Field name="name" label={fields.name} hint={fields.nameHint} task={task}>
        {(attributes) => (
          <input
            {...attributes}
            autocomplete="off"
            maxLength={TEXTS.name}
            required
            defaultValue={exclusion?.name}
          />
        )}
      </Field>
      <Field name="reason" label={fields.reason} task={task}>
        {(attributes) => (
          <textarea
            {...attributes}
            rows={2}
            maxLength={TEXTS.reason}
            defaultValue={exclusion?.reason ?? ''}
          />
        )}
      </Field>
    </>
  );
}

interface FiltersProps {
  draft: Draft;
  reading: Reading;
  kept: StoredFilters | undefined;
  task: Task;
  onChanged: (changes: Partial<Draft>) => void;
}

/** Outside of the dialog's form, because a filter has a form of its own. */
function FiltersField({ draft: { filters, isAll }, reading, kept, task, onChanged }: FiltersProps) {
  const errors = task.errorsOf('filters');
  return (
    <div class="field excluded-filters">
      <b>{fields.filters}</b>
      <p class="quiet hint">{filters ? fields.filtersHint : fields.kept}</p>
      {filters ? (
        <FilterList {...{ filters, reading }} onChanged={(changed) => onChanged({ filters: changed })}>
          <li>
            <AddFilter {...{ filters, reading }} onChanged={(changed) => onChanged({ filters: changed })} />
          </li>
        </FilterList>
      ) : (
        <p>
          <bdi>{conditionText(kept!)}</bdi>
        </p>
      )}
      {filters?.length === 0 && (
        <Switch name="all" label={fields.all} isOn={isAll} onChange={(isOn) => onChanged({ isAll: isOn })} />
      )}
      {errors.length > 0 && (
        <p class="complaint" role="alert">
          {filters?.length === 0
            ? words.confirmAll
            : texts.console.wrong(texts.filters.title, errors.join('; '))}
        </p>
      )}
    </div>
  );
}

interface DaysProps {
  draft: Draft;
  task: Task;
  onChanged: (changes: Partial<Draft>) => void;
}

function Days({ draft, task, onChanged }: DaysProps) {
  return (
    <div class="pair">
      {DAYS.map((end) => (
        <Field key={end} name={end} label={fields[end]} task={task}>
          {(attributes) => (
            <input
              {...attributes}
              type="date"
              min="1970-01-01"
              max="9999-12-31"
              value={draft[end]}
              onInput={({ currentTarget }) => onChanged({ [end]: currentTarget.value })}
            />
          )}
        </Field>
      ))}
    </div>
  );
}

const textIn = (form: FormData, name: string) => (form.get(name) as string).trim();

function textsIn(form: FormData) {
  const reason = textIn(form, 'reason');
  return { name: textIn(form, 'name'), reason: reason === '' ? null : reason };
}

function fieldsOf({ filters, from, to, isAll }: Draft) {
  return {
    ...(filters && { filters: filters.map(asJson), ...(filters.length === 0 && isAll && { all: true }) }),
    from: from === '' ? null : from,
    to: to === '' ? null : to,
  };
}
