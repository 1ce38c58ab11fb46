import { dayText, localText, numberText } from '../../shared/format';
import { readable } from '../../shared/language/value-labels';
import { texts } from '../../shared/texts';
import { type Annotation, localTime } from './annotations';
import type { Annotating } from './draft';

const words = texts.annotations;
/** More are folded, so that a list does not push the panels out of sight. */
const MAX_OPEN = 5;

interface Props {
  annotating: Annotating;
}

/** In one line, or folded. */
export function NoteList({ annotating }: Props) {
  const { list, total } = annotating.annotations;
  if (list.length <= MAX_OPEN) return <Notes annotating={annotating} kind="note-line" />;
  return (
    <details class="folded-notes">
      <summary>{words.count(numberText(total))}</summary>
      <Notes annotating={annotating} kind="note-rows" />
      {total > list.length && <p class="quiet">{words.latest(numberText(list.length), numberText(total))}</p>}
    </details>
  );
}

function Notes({ annotating, kind }: Props & { kind: string }) {
  const { access, annotations, timezone, setDraft } = annotating;
  return (
    <ul class={kind} role="list" aria-label={words.title} tabIndex={access?.change ? undefined : 0}>
      {annotations.list.map((annotation, index) => (
        <li key={annotation.id ?? index}>
          {access?.change ? (
            <button
              class="note"
              title={readable(annotation.text)}
              aria-haspopup="dialog"
              onClick={() => setDraft({ changed: annotation })}
            >
              <Note {...{ annotation, timezone }} />
            </button>
          ) : (
            <span class="note" title={readable(annotation.text)}>
              <Note {...{ annotation, timezone }} />
            </span>
          )}
        </li>
      ))}
    </ul>
  );
}

function Note({ annotation, timezone }: { annotation: Annotation; timezone: string }) {
  return (
    <>
      <span class="quiet">{whenText(annotation.at, timezone)}</span>
      <bdi>{readable(annotation.text)}</bdi>
      {annotation.public === 1 && <span class="badge">{words.isPublic}</span>}
    </>
  );
}

function whenText(at: string, timezone: string): string {
  const local = localTime(at, timezone);
  return local.includes('T') ? localText(local) : dayText(local);
}
