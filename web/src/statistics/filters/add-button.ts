import { go, linkTo } from '../../shared/address';
import { type Filter, withFilters } from './filters';

/** The button that adds a filter. It receives the focus when a filter that had it is changed or removed. */
export const ADD_BUTTON = 'add-filter';

export function focusAddButton(): void {
  document.getElementById(ADD_BUTTON)?.focus({ preventScroll: true });
}

/** Shows other filters on the page. */
export const showFilters = (filters: Filter[]) => go(withFilters(filters));

/** Attributes of a link that shows other filters. It may be gone then, and the focus with it. */
export function linkToFilters(filters: Filter[]) {
  const { href, onClick } = linkTo(withFilters(filters));
  return {
    href,
    onClick: (event: MouseEvent) => {
      onClick(event);
      if (event.defaultPrevented) focusAddButton();
    },
  };
}
