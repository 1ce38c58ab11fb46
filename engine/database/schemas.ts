import { EntitySchema, type EntitySchemaColumnOptions } from 'typeorm';

/** It stands for the collation of the dialect. */
export const EXACT = 'exact';

type Columns = Record<string, EntitySchemaColumnOptions>;

export const integer = { type: 'integer' } as const;
export const bigint = { type: 'bigint' } as const;
export const longText = { type: 'text' } as const;
export const longBytes = { type: 'blob' } as const;
export const text = (length: number) => ({ type: 'varchar', length }) as const;
/** No type of bytes with a length is one that TypeORM accepts for all databases. */
export const bytes = (length: number) => ({ ...text(length), charset: 'binary' }) as const;
/** Compared by bytes, trailing blanks included. */
export const exact = <C extends EntitySchemaColumnOptions>(column: C) => ({ ...column, collation: EXACT });

export const optional = <C extends EntitySchemaColumnOptions>(column: C) => ({ ...column, nullable: true });

/** The key of a table whose rows have numbers. */
export const byId = { id: { ...bigint, generated: true } } as const;

/**
 * The schema of a table without a class. An index is a unique constraint: its columns are followed by what remains of
 * the key. Names of constraints begin with the name of their table.
 */
export function table(
  name: string,
  key: Columns,
  others: Columns,
  indexes: Record<string, string[]> = {},
  unique: Record<string, string[]> = {},
): EntitySchema {
  const columnsOf = (columns: Columns, primary: boolean) =>
    Object.entries(columns).map(
      ([column, options]) => [column, { ...options, name: column, primary }] as const,
    );
  const ending = (columns: string[]) => [...new Set([...columns, ...Object.keys(key)])];
  return new EntitySchema({
    name,
    tableName: name,
    columns: Object.fromEntries([...columnsOf(key, true), ...columnsOf(others, false)]),
    uniques: [
      ...Object.entries(indexes).map(([suffix, columns]) => [suffix, ending(columns)] as const),
      ...Object.entries(unique),
    ].map(([suffix, columns]) => ({ name: `${name}_${suffix}`, columns })),
  });
}
