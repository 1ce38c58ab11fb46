import { useState } from 'preact/hooks';
import { type Kind, type Kinds, useDefined } from '../../../goals/definitions';
import type { Own } from '../../../statistics/reading';
import { headersOf } from '../../client';
import type { SectionProps } from './section-form';

/** The one that a dialog is about; a new one is undefined. */
export type Opened<K extends Kind> =
  { act: 'edit'; one: Kinds[K] | undefined } | { act: 'remove' | 'purge'; one: Kinds[K] };

/** The definitions of a kind, to create, change and delete by dialogs. */
export function useDefinitions<K extends Kind>(
  { session, website, mayChange }: Pick<SectionProps, 'session' | 'website' | 'mayChange'>,
  kind: K,
) {
  const own: Own = { websiteId: String(website.id), mayChange, headers: headersOf(session) };
  const [turn, setTurn] = useState(0);
  const [opened, setOpened] = useState<Opened<K>>();
  const answer = useDefined(own, kind, turn);
  const dialog = { own, onSaved: () => setTurn(turn + 1), onClosed: () => setOpened(undefined) };
  return { ...answer, own, opened, setOpened, dialog };
}
