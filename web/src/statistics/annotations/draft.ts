import type { Annotation, AnnotationsAccess } from './annotations';
import type { Annotations } from './use-annotations';

/** A new annotation of a day or a moment, or one to change. */
export type Draft = { at: string } | { changed: Annotation };

export interface Annotating {
  access: AnnotationsAccess | undefined;
  annotations: Annotations;
  timezone: string;
  draft: Draft | undefined;
  setDraft: (draft: Draft | undefined) => void;
}

/** The button of a new annotation. It receives the focus when one that had it is deleted. */
export const ANNOTATE_BUTTON = 'annotate';

export function focusAnnotateButton(): void {
  document.getElementById(ANNOTATE_BUTTON)?.focus();
}
