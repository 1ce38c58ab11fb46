import type { ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import document from '../../openapi.json';
import type { Answer } from './api-client';

type Headers = Record<string, { $ref?: string; required?: boolean }>;
interface Response {
  $ref?: string;
  headers?: Headers;
  content?: Record<string, unknown>;
}
type Responses = Record<string, Response>;
type Operations = Record<string, { responses: Responses }>;

const paths = document.paths as unknown as Record<string, Operations>;
const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);
ajv.addSchema(document, 'openapi');
const compiled = new Map<string, ValidateFunction>();

/** Fails if an answer of a documented route differs from the OpenAPI document. */
export function expectDocumented(method: string, path: string, answer: Answer): void {
  const template = templateOf(path.split('?')[0]!);
  const operation = template && paths[template]?.[method.toLowerCase()];
  if (!operation) return;
  const place = ['paths', template, method.toLowerCase(), 'responses', String(answer.status)];
  const problem = problemOf(operation.responses[answer.status], answer, place);
  if (problem) throw new Error(`${method} ${template} ${answer.status} ${problem}: ${answer.text}`);
}

/** Fails if what a webhook got differs from the OpenAPI document. */
export function expectDocumentedDelivery(body: { event: string }): void {
  const validate = validatorOf([
    'webhooks',
    body.event,
    'post',
    'requestBody',
    'content',
    'application/json',
    'schema',
  ]);
  const text = JSON.stringify(body);
  if (!validate(body)) throw new Error(`delivery ${ajv.errorsText(validate.errors)}: ${text}`);
}

function problemOf(found: Response | undefined, answer: Answer, usedAt: string[]): string | undefined {
  if (!found) return 'is not documented';
  const { value: response, place } = referred(found, usedAt);
  const expected = Object.entries(response.headers ?? {}).filter(
    ([, header]) => referred(header, []).value.required !== false,
  );
  const missing = expected.map(([header]) => header).find((header) => !answer.headers.has(header));
  if (missing) return `lacks the header ${missing}`;
  if (!response.content && !answer.text) return undefined;
  const type = answer.headers.get('Content-Type')?.split(';')[0] ?? '';
  if (!response.content?.[type]) return `is not documented as ${type}`;
  const validate = validatorOf([...place, 'content', type, 'schema']);
  return validate(answer.body ?? answer.text) ? undefined : ajv.errorsText(validate.errors);
}

/** What is used at a place, and where it is defined. */
function referred<T extends { $ref?: string }>(value: T, place: string[]): { value: T; place: string[] } {
  if (!value.$ref) return { value, place };
  const [, ...parts] = value.$ref.split('/');
  const defined = parts.reduce<unknown>((node, part) => (node as Record<string, unknown>)[part], document);
  return { value: defined as T, place: parts };
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
