import type { ApiKey } from '../auth/api-key.entity';
import { type FieldErrors, InvalidFields, type Problem } from '../../engine/ground/errors';
import { problemContent } from '../common/problems';
import { Page, WithMeta } from '../http/answers/pagination';
import { idOf } from '../http/requests/id-param';
import { fieldsAs } from '../validation/fields.pipe';
import { websiteIdFor } from '../websites/website-id';
import type { Services, UseCase } from './use-case';

type Sent = Record<string, unknown>;

interface Options {
  signal?: AbortSignal;
  /** Reads the field with the website's id. */
  websiteOf?: (key: ApiKey, sent: unknown) => number | Promise<number>;
}

/** Runs a use case for a key that may use it, with the sent fields. */
export async function ask(
  services: Services,
  useCase: UseCase,
  key: ApiKey,
  sent: Sent,
  { signal, websiteOf = websiteIdFor }: Options = {},
): Promise<object> {
  const fields = await fieldsOf(useCase, sent);
  const websiteId = useCase.id ? await websiteOf(key, sent[useCase.id]) : 0;
  const resourceId = useCase.resource ? idOf(sent.id, useCase.resource) : 0;
  const caller = { owner: key.userId, ...(signal && { signal }) };
  const requested = { key, caller, websiteId, resourceId, fields };
  const path = useCase.pathOf?.(websiteId, resourceId) ?? '';
  const service = services.get(useCase.service, { strict: false });
  return envelopeOf(await useCase.answer(service, requested, services), path);
}

/** All fields except ids. If an id is missing, one error names it and every other wrong field. */
async function fieldsOf({ id, resource, fields }: UseCase, { ...sent }: Sent): Promise<object> {
  const missing: FieldErrors = {};
  for (const name of [...(id ? [id] : []), ...(resource ? ['id'] : [])]) {
    if (sent[name] === undefined) missing[name] = ['is required'];
    delete sent[name];
  }
  const isMissing = Object.keys(missing).length > 0;
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

/** A problem as callers without HTTP receive it: with `retry_after` instead of the header. */
export function contentOf(problem: Problem, instance: string, requestId: string): object {
  const { retryAfterSeconds } = problem;
  return {
    ...problemContent(problem, instance, requestId),
    ...(retryAfterSeconds !== undefined && { retry_after: retryAfterSeconds }),
  };
}
