import type { ApiKey } from '../auth/api-key.entity';
import { type FieldErrors, InvalidFields, type Problem } from '../common/problem';
import { Page, WithMeta } from '../http/answers/pagination';
import { fieldsAs } from '../validation/fields.pipe';
import { websiteIdFor } from '../websites/website-id';
import type { Services, UseCase } from './use-cases';

type Sent = Record<string, unknown>;

interface Options {
  signal?: AbortSignal;
  /** Reads the field with the website's id. */
  websiteOf?: (key: ApiKey, sent: unknown) => number | Promise<number>;
}

/** Does what a key that may do it asks for, with the fields as they were sent. */
export async function ask(
  services: Services,
  useCase: UseCase,
  key: ApiKey,
  sent: Sent,
  { signal, websiteOf = websiteIdFor }: Options = {},
): Promise<object> {
  const fields = await fieldsOf(useCase, sent);
  const websiteId = useCase.id ? await websiteOf(key, sent[useCase.id]) : 0;
  const caller = { owner: key.userId, ...(signal && { signal }) };
  const requested = { key, caller, websiteId, fields };
  return envelopeOf(await useCase.answer(services, requested), useCase.pathOf?.(websiteId) ?? '');
}

/** All fields but the website's id. Where that is missing, one error names it and every other field that is wrong. */
async function fieldsOf({ id, fields }: UseCase, { ...sent }: Sent): Promise<object> {
  const missing: FieldErrors = id && sent[id] === undefined ? { [id]: ['is required'] } : {};
  const isMissing = Object.keys(missing).length > 0;
  if (id) delete sent[id];
  try {
    const read = await fieldsAs(fields, sent);
    if (!isMissing) return read;
  } catch (error) {
    if (!(error instanceof InvalidFields)) throw error;
    throw new InvalidFields({ ...missing, ...error.errors });
  }
  throw new InvalidFields(missing);
}

function envelopeOf(result: unknown, path: string): object {
  if (result instanceof WithMeta) return result.toEnvelope();
  if (!(result instanceof Page)) return { data: result };
  const { data, meta } = result.toEnvelope(path, {});
  return { data, meta };
}

/** A problem as callers get it without HTTP: with `retry_after` in place of the header. */
export function contentOf(problem: Problem, instance: string, requestId: string): object {
  const { retryAfterSeconds } = problem;
  return {
    ...problem.toJSON(instance, requestId),
    ...(retryAfterSeconds !== undefined && { retry_after: retryAfterSeconds }),
  };
}
