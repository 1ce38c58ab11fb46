import { applyDecorators } from '@nestjs/common';
import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { Clearable, IfSent } from '../validation/rules';
import type { Website } from './website.entity';

type Column = keyof Website;

interface Row<C extends Column> {
  /** The property of the entity. */
  column: C;
  /** The value of a new website. If it is null, the option can be cleared. */
  initial: Website[C];
  /** The OpenAPI schemas of the request and of the answer. */
  sent: ApiPropertyOptions;
  shown: ApiPropertyOptions;
  /** How it is shown, if not as the column's value under the option's name. */
  shownAs?: { name: string; of: (website: Website) => unknown };
}

/** An option of a website; `name` is the field's name. */
interface Option extends Required<Omit<Row<Column>, 'initial'>> {
  name: string;
  initial: Website[Column];
}

const rows: Option[] = [];
/** All options, in the order in which they are shown. */
export const OPTIONS: readonly Option[] = rows;

/** Makes a property of a DTO an option of a website. */
export function WebsiteOption<C extends Column>(row: Row<C>): PropertyDecorator {
  const { column, initial, sent } = row;
  const register = (_: object, property?: string | symbol) => {
    const name = String(property);
    rows.push({ shownAs: { name, of: (website) => website[column] }, ...row, name });
  };
  const nullable = initial === null;
  return applyDecorators(
    register,
    nullable ? Clearable() : IfSent(),
    ApiProperty({ ...sent, required: false, nullable } as ApiPropertyOptions),
  );
}

/** The columns of a new website without options. */
export function initialColumns(): Partial<Website> {
  return Object.fromEntries(OPTIONS.map(({ column, initial }) => [column, initial]));
}

/** The columns of the options that were sent. */
export function columnsOf(given: object): Partial<Website> {
  const values = new Map<string, unknown>(Object.entries(given));
  const sent = OPTIONS.filter(({ name }) => values.get(name) !== undefined);
  return Object.fromEntries(sent.map(({ name, column }) => [column, values.get(name)]));
}
