import { useEffect, useState } from 'preact/hooks';
import './annotations.css';
import { readable } from '../../shared/language/value-labels';
import { type Span, todayIn } from '../../shared/ranges';
import { texts } from '../../shared/texts';
import type { Bucket } from '../chart/series';
import { type AnnotationsAccess, beginOf, byBucket } from './annotations';
import { ANNOTATE_BUTTON, type Annotating, type Draft } from './draft';
import { useAnnotations } from './use-annotations';

interface Loading extends Annotating {
  /** The list and the form. Undefined until there is something to show, null if they could not be loaded. */
  notes: typeof import('./notes') | null | undefined;
}

interface Chosen {
  access: AnnotationsAccess | undefined;
  span: Span | undefined;
  isLoading: boolean;
  timezone: string;
}

/** The annotations of a span, and the one that is being made or changed. */
export function useAnnotating({ access, span, isLoading, timezone }: Chosen): Loading {
  const [draft, setDraft] = useState<Draft>();
  const [notes, setNotes] = useState<Loading['notes']>();
  const annotations = useAnnotations(access, span, isLoading);
  const isNeeded = annotations.list.length > 0 || draft !== undefined;
  useEffect(() => {
    if (isNeeded && !notes)
      import('./notes').then(setNotes, () => {
        setNotes(null);
      });
  }, [isNeeded]);
  return { access, annotations, timezone, draft, setDraft, notes };
}

/** What happened in each bucket, in words. */
export function notesIn({ annotations, timezone }: Annotating, buckets: readonly Bucket[]): string[][] {
  return byBucket(buckets, annotations.list, timezone).map((found) =>
    found.map(({ text }) => readable(text)),
  );
}

/** Makes an annotation of a bucket. Undefined for readers. */
export function annotateIn(
  { access, timezone, setDraft }: Annotating,
  buckets: readonly Bucket[],
): ((index: number) => void) | undefined {
  if (!access?.change) return undefined;
  return (index) => {
    const { hourOfZone, from } = buckets[index]!;
    setDraft({ at: hourOfZone === undefined ? from : beginOf(hourOfZone, timezone) });
  };
}

/** The button of a new annotation, and the form below it. */
export function Annotate({ annotating, span }: { annotating: Loading; span: Span | undefined }) {
  const { access, timezone, draft, setDraft, notes } = annotating;
  if (!access?.change || !span) return null;
  return (
    <div class="note-holder">
      <button
        id={ANNOTATE_BUTTON}
        class="annotate"
        aria-haspopup="dialog"
        aria-expanded={draft !== undefined}
        onClick={() => setDraft(draft ? undefined : { at: lastDayOf(span, timezone) })}
      >
        {texts.annotations.add}
      </button>
      {draft && notes && <notes.NoteForm key={JSON.stringify(draft)} {...{ annotating, draft }} />}
      {draft && notes === null && (
        <p class="complaint" role="alert">
          {texts.failures.offline}
        </p>
      )}
    </div>
  );
}

/** Today, if the span has it. */
function lastDayOf({ from, to }: Span, timezone: string): string {
  const today = todayIn(timezone);
  return from <= today && today < to ? today : to;
}

/** The annotations of the span in words. */
export function Listed({ annotating }: { annotating: Loading }) {
  const { annotations, notes } = annotating;
  if (!notes || annotations.list.length === 0) return null;
  return <notes.NoteList annotating={annotating} />;
}
