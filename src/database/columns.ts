import { Column, type ColumnOptions, type ValueTransformer } from 'typeorm';

const epochMilliseconds: ValueTransformer = {
  to: (moment: Date | null | undefined) => (moment instanceof Date ? moment.getTime() : moment),
  from: (stored: number | string | null) => (stored === null ? null : new Date(Number(stored))),
};

/** A moment as milliseconds since 1970, independent of the database's time zone and rounding. */
export function InstantColumn(options: ColumnOptions = {}): PropertyDecorator {
  return Column({ type: 'bigint', transformer: epochMilliseconds, ...options });
}
