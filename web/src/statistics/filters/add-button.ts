/** The button that adds a filter. It receives the focus when a filter that had it is changed or removed. */
export const ADD_BUTTON = 'add-filter';

export function focusAddButton(): void {
  document.getElementById(ADD_BUTTON)?.focus();
}
