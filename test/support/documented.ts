import { Ajv, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import document from '../../openapi.json';
import type { Answer } from './api-client';

type Headers = Record<string, { required?: boolean }>;
interface Response {
  headers?: Headers;
  content?: Record<string, unknown>;
  'x-files'?: Record<string, unknown>;
}
type Responses = Record<string, Response>;
type Operations = Record<string, { responses: Responses }>;

const paths = document.paths as unknown as Record<string, Operations>;
const ajv = new Ajv({ strict: false, allErrors: true });
addFormats.default(ajv);
ajv.addSchema(document, 'openapi');
const compiled = new Map<string, ValidateFunction>();

/** Fails if an answer of a documented route differs from the OpenAPI document. */
export function expectDocumented(method: string, path: string, answer: Answer): void {
  const template = templateOf(path.split('?')[0]!);
  const operation = template && paths[template]?.[method.toLowerCase()];
  if (!operation) return;
  const problem = problemOf(operation.responses[answer.status], answer, [
    'paths',
    template,
    method.toLowerCase(),
    'responses',
    String(answer.status),
  ]);
  if (problem) throw new Error(`${method} ${template} ${answer.status} ${problem}: ${answer.text}`);
}

function problemOf(response: Response | undefined, answer: Answer, place: string[]): string | undefined {
  if (!response) return 'is not documented';
  const expected = Object.entries(response.headers ?? {}).filter(([, { required }]) => required !== false);
  const missing = expected.map(([header]) => header).find((header) => !answer.headers.has(header));
  if (missing) return `lacks the header ${missing}`;
  if (!response.content && !answer.text) return undefined;
  const type = answer.headers.get('Content-Type')?.split(';')[0] ?? '';
  const member = (['content', 'x-files'] as const).find((name) => response[name]?.[type]);
  if (!member) return `is not documented as ${type}`;
  const validate = validatorOf([...place, member, type, 'schema']);
  return validate(answer.body ?? answer.text) ? undefined : ajv.errorsText(validate.errors);
}

function templateOf(path: string): string | undefined {
  return Object.keys(paths).find((template) =>
    new RegExp(`^${template.replaceAll(/\{[^}]+\}/g, '[^/]+')}$`).test(path),
  );
}

function validatorOf(place: string[]): ValidateFunction {
  const pointer = place
    .map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1')))
    .join('/');
  let validate = compiled.get(pointer);
  if (!validate) compiled.set(pointer, (validate = ajv.compile({ $ref: `openapi#/${pointer}` })));
  return validate;
}
