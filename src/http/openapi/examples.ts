import { FILE_FORMATS } from '../../../engine/hits/files/file-formats';

type Node = Record<string, unknown>;
type Schemas = Record<string, Node>;

const SCHEMAS = '#/components/schemas/';
/** A schema may contain itself. */
const MOST_LEVELS = 12;
const BY_TYPE: Node = { string: 'text', integer: 1, number: 1, boolean: true, null: null, object: {} };
const PAGES: Node = {
  'text/html': '<!doctype html>\n<title>Milepost</title>\n',
  'text/javascript': '(() => { /* … */ })();\n',
};

/** A value that the schema allows, made of the examples of its fields. */
export function exampleOf(schema: Node, schemas: Schemas, level = 0): unknown {
  const inside = (one: unknown) => exampleOf(one as Node, schemas, level + 1);
  if (typeof schema.$ref === 'string') return inside(schemas[schema.$ref.slice(SCHEMAS.length)]);
  const [given] = [schema.example, schema.default, (schema.enum as unknown[] | undefined)?.[0]].filter(
    (value) => value !== undefined,
  );
  if (given !== undefined) return given;
  const [branch] = [schema.allOf, schema.anyOf, schema.oneOf].flatMap((one) => one ?? []);
  if (branch) return inside(branch);
  if (schema.properties) return fieldsOf(schema, schemas, level);
  if (schema.items) return level > MOST_LEVELS ? [] : [inside(schema.items)];
  if (schema.format === 'date-time') return '2026-01-31T12:00:00.000Z';
  return BY_TYPE[String([schema.type].flat()[0])];
}

function fieldsOf({ properties, required = [] }: Node, schemas: Schemas, level: number): Node {
  const fields = Object.entries(properties as Record<string, Node>).filter(
    ([name, { example }]) => (required as string[]).includes(name) || example !== undefined,
  );
  return Object.fromEntries(fields.map(([name, field]) => [name, exampleOf(field, schemas, level + 1)]));
}

/** What a page, or a file with this row, looks like. */
export function fileExample(type: string, row: unknown): unknown {
  const format = FILE_FORMATS.find((one) => one.type === type);
  if (!format || typeof row !== 'object' || row === null) return PAGES[type];
  const columns = Object.keys(row);
  return format.head(columns) + format.lines(columns)([row]);
}
