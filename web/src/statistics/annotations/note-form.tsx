import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { texts } from '../../shared/texts';
import { Popover } from '../filters/popover';
import { localTime, timeFor } from './annotations';
import { type Annotating, type Draft, focusAnnotateButton } from './draft';

const words = texts.annotations;

interface Props {
  annotating: Annotating;
  draft: Draft;
}

/** Makes, changes and deletes an annotation. */
export function NoteForm({ annotating, draft }: Props) {
  const { access, annotations, timezone, setDraft } = annotating;
  const changed = 'changed' in draft ? draft.changed : undefined;
  const at = 'changed' in draft ? draft.changed.at : draft.at;
  const first = localTime(at, timezone);
  const [complaints, setComplaints] = useState<string[]>([]);
  const [isSending, setSending] = useState(false);
  const close = () => setDraft(undefined);
  const send = (method: 'POST' | 'PATCH' | 'DELETE', fields?: object) => {
    if (isSending) return;
    setSending(true);
    access!.change!(method, changed ? `/${changed.id}` : '', fields)
      .then(
        () => {
          annotations.update();
          if (method === 'DELETE') focusAnnotateButton();
          close();
        },
        (error: unknown) => setComplaints(complaintsIn(error)),
      )
      .finally(() => setSending(false));
  };
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    const { day, clock, ...others } = fieldsIn(form);
    // A moment has seconds, which stay where the local time was not changed.
    const isSame = changed !== undefined && first === (clock ? `${day}T${clock}` : day);
    const fields = isSame ? others : { ...others, at: timeFor(day, clock, timezone, at) };
    send(changed ? 'PATCH' : 'POST', fields);
  };
  return (
    <Popover label={changed ? words.change : words.add} onClosed={close}>
      <form class="note-form" onSubmit={submit}>
        <Fields first={first} text={changed?.text ?? ''} isPublic={changed?.public === 1} />
        {complaints.map((complaint) => (
          <p key={complaint} class="complaint" role="alert">
            {complaint}
          </p>
        ))}
        <div class="form-foot">
          {changed && (
            <button type="button" class="text-button" onClick={() => send('DELETE')}>
              {words.remove}
            </button>
          )}
          <button type="button" class="plain" onClick={close}>
            {texts.filters.cancel}
          </button>
          <button class="primary">{words.save}</button>
        </div>
      </form>
    </Popover>
  );
}

function Fields({ first, text, isPublic }: { first: string; text: string; isPublic: boolean }) {
  const [day, clock = ''] = first.split('T');
  const input = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    input.current!.focus();
    input.current!.form!.scrollIntoView({ block: 'nearest' });
  }, []);
  return (
    <>
      <label>
        {words.text}
        <input ref={input} name="text" required autocomplete="off" defaultValue={text} />
      </label>
      <div class="sentence">
        <label>
          {words.day}
          <input name="day" type="date" required min="1970-01-01" max="9999-12-31" defaultValue={day} />
        </label>
        <label>
          {words.time}
          <input name="clock" type="time" defaultValue={clock} />
        </label>
      </div>
      <label class="note-public">
        <input name="public" type="checkbox" defaultChecked={isPublic} />
        {words.public}
      </label>
    </>
  );
}

function fieldsIn(form: FormData) {
  const textOf = (name: string) => (form.get(name) as string | null) ?? '';
  const { day, clock, text } = { day: textOf('day'), clock: textOf('clock'), text: textOf('text') };
  return { day, clock, text, public: form.has('public') ? 1 : 0 };
}

/** In the words of the service, or what it has none for. */
function complaintsIn(error: unknown): string[] {
  const { errors = {}, message = '' } = error as { errors?: Record<string, string[]>; message?: string };
  const labels: Partial<Record<string, string>> = { text: words.text, at: words.day, public: words.public };
  const ofFields = Object.entries(errors).map(([field, problems]) =>
    texts.console.wrong(labels[field] ?? field, problems.join('; ')),
  );
  return ofFields.length > 0 ? ofFields : [message || texts.failures.offline];
}
