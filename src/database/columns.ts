import { Column, type ColumnOptions, type ValueTransformer } from 'typeorm';

const epochMilliseconds: ValueTransformer = {
  to: (moment: Date | null | undefined) => (moment instanceof Date ? moment.getTime() : moment),
  from: (stored: number | string | null) => (stored === null ? null : new Date(Number(stored))),
};

/** A moment as milliseconds since 1970, independent of the database's time zone and rounding. */
export function InstantColumn(options: ColumnOptions = {}): PropertyDecorator {
  return Column({ type: 'bigint', transformer: epochMilliseconds, ...options });
}

const json: ValueTransformer = {
  to: (value: unknown) => (value === undefined ? undefined : JSON.stringify(value)),
  from: (stored: string) => JSON.parse(stored) as unknown,
};

/** A value as the text of its JSON. */
export function JsonColumn(options: ColumnOptions = {}): PropertyDecorator {
  return Column({ type: 'text', transformer: json, ...options });
}
