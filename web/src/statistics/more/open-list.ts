import { headingOf } from '../../shared/language/value-labels';
import { described, isName, type Name } from '../../shared/names';
import { type AutomaticEvent, automaticEventWith } from '../panels/automatic/automatic-events';
import type { Reading } from '../reading';
import { texts } from '../../shared/texts';

/** A list that an address opens, by the id that it has there. */
export interface OpenList {
  id: string;
  name: Name;
  heading: string;
  automatic?: AutomaticEvent;
}

export function moreIn(address: URLSearchParams, { isOwner }: Reading): OpenList | undefined {
  const id = address.get('more');
  const automatic = isOwner ? automaticEventWith(id) : undefined;
  if (automatic) return { ...automatic, heading: texts.panels[automatic.id], automatic };
  // The panel of goals has a list of its own.
  const isOpen = isName(id) && !described(id).isListed && id !== 'goal';
  return isOpen ? { id, name: id, heading: headingOf(id) } : undefined;
}
