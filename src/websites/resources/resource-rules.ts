/** The rules of one kind of resource. */
export interface ResourceRules {
  /** In messages, for example `saved filter`. */
  readonly kind: string;
  /** The column that a search looks into, and the field that the errors of a full list are about. */
  readonly text: 'name' | 'text';
  /** Whether no two resources of a website have the same text. */
  readonly isUnique: boolean;
  /** The most that a website has. */
  readonly most: number;
  readonly order: Readonly<Record<string, 'ASC' | 'DESC'>>;
}

/** Of a kind whose resources are known by their names. */
export function named(kind: string): ResourceRules {
  return { kind, text: 'name', isUnique: true, most: 100, order: { name: 'ASC' } };
}
