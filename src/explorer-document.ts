import type { OpenAPIObject } from '@nestjs/swagger';
import { dayText } from './common/time/days';

type Node = Record<string, unknown>;

const DEMO_DAYS = 30;

/**
 * The document as the explorer shows it. It offers to send the range of days in which `npm run demo` makes traffic, and
 * shows no contact, which linters ask for, but which tells readers of the page nothing.
 */
export function explorerDocument(document: OpenAPIObject, to: number): OpenAPIObject {
  const examples = new Map([
    ['from', dayText(to - DEMO_DAYS + 1)],
    ['to', dayText(to)],
  ]);
  const shown = typed(structuredClone(document)) as OpenAPIObject;
  delete shown.info.contact;
  for (const { get } of Object.values(shown.paths))
    for (const parameter of get?.parameters ?? [])
      if ('name' in parameter && examples.has(parameter.name))
        Object.assign(parameter.schema!, { example: examples.get(parameter.name) });
  return shown;
}

/** Scalar warns of each schema that has neither a type nor a reference of its own, though OpenAPI asks for none. */
function typed(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(typed);
  if (typeof node !== 'object' || node === null) return node;
  const { allOf, ...rest } = Object.fromEntries(
    Object.entries(node).map(([name, value]) => [name, typed(value)]),
  ) as Node & { allOf?: Node[] };
  if (allOf?.length === 1) return { ...allOf[0], ...rest };
  if (isEmpty(rest.items)) rest.items = { type: ['string', 'array'] };
  const isText = (rest.anyOf as Node[] | undefined)?.every(({ type }) => type === 'string');
  return { ...(allOf && { allOf }), ...(isText && { type: 'string' }), ...rest };
}

function isEmpty(schema: unknown): boolean {
  return typeof schema === 'object' && schema !== null && Object.keys(schema).length === 0;
}
