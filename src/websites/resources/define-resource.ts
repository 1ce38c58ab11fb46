import type { Type } from '@nestjs/common';
import type { Scope } from '../../auth/api-key.entity';
import type { Missing } from '../../common/problems';
import { ListResources } from './list-resources.dto';
import type { Resource } from './resource.entity';
import { type Deletion, deletionOf } from './resource.view';

interface Rules {
  /** The column that a search looks into, and the field that the errors of a full list are about. */
  readonly text: 'name' | 'text';
  /** Tells whether no two resources of a website have the same text. */
  readonly isUnique: boolean;
  /** The most that a website has. */
  readonly most: number;
  readonly order: Readonly<Record<string, 'ASC' | 'DESC'>>;
}

const BY_NAME: Rules = { text: 'name', isUnique: true, most: 100, order: { name: 'ASC' } };

interface Declaration<E extends Resource, V extends object, S extends object, C extends object> {
  what: Missing;
  about: string;
  entity: Type<E>;
  view: Type<V> & { of: (this: void, resource: E) => V };
  columns: readonly (keyof V & string)[];
  stored: Type<S>;
  changed: Type<C>;
  example: object;
  /** What a new resource has without the fields. */
  defaults?: Partial<E>;
  listed?: Type<ListResources>;
  rules?: Partial<Rules>;
  /** The scope that is enough to create one; `full` by default. */
  storedBy?: Scope;
  /** Tells whether a form can have all of its fields. */
  isForm?: true;
  /** Why a deletion may be refused. */
  inUse?: string;
}

/** A kind of things that a website has several of. Its routes, messages and storage follow from it. */
export interface ResourceKind<
  E extends Resource = Resource,
  V extends object = object,
  S extends object = object,
  C extends object = object,
>
  extends
    Required<Omit<Declaration<E, V, S, C>, 'isForm' | 'inUse'>>,
    Pick<Declaration<E, V, S, C>, 'isForm' | 'inUse'> {
  rules: Rules;
  /** In sentences, for example `saved filter`. */
  one: string;
  /** With its article. */
  a: string;
  /** In paths and names of files, for example `saved-filters`. */
  path: string;
  /** In messages, and as the name of the table, for example `saved_filters`. */
  pattern: string;
  /** In confirmations, for example `saved_filter`. */
  object: string;
  /** In the names of operations, for example `SavedFilter`. */
  operation: string;
  deletion: Type<Deletion>;
}

export function defineResource<E extends Resource, V extends object, S extends object, C extends object>(
  declared: Declaration<E, V, S, C>,
): ResourceKind<E, V, S, C> {
  const one = declared.what.toLowerCase();
  const object = one.replace(' ', '_');
  const rules = { ...BY_NAME, ...declared.rules };
  const operation = declared.what.replace(/ (.)/, (_, letter: string) => letter.toUpperCase());
  return {
    defaults: {},
    listed: ListResources,
    storedBy: 'full',
    ...declared,
    rules,
    one,
    a: /^[aeiou]/.test(one) ? `an ${one}` : `a ${one}`,
    path: `${one.replace(' ', '-')}s`,
    pattern: `${object}s`,
    object,
    operation,
    deletion: deletionOf(object, `${operation}DeletionView`),
  };
}
