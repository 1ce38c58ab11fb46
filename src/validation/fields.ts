/** Values as sent, by name, without a prototype, so that `__proto__` is a field like any other. */
export type Fields = Record<string, unknown>;

/** The value of a field that was sent more than once. */
export const SENT_TWICE = Object.freeze(['sent more than once']);

const FORM = Object.freeze(Object.create(null) as Fields);

/** The fields of a form or query: all values are texts. */
export function formFields(): Fields {
  return Object.create(FORM) as Fields;
}

export function isForm(fields: unknown): boolean {
  return typeof fields === 'object' && fields !== null && Object.getPrototypeOf(fields) === FORM;
}

/** The DTO of a route that takes no fields. */
export class NoFields {}
