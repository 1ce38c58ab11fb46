import type { ApiKey } from '../auth/api-key.entity';
import type { Problem } from '../common/problem';
import { Page, WithMeta } from '../http/pagination';
import { FieldsPipe } from '../validation/fields.pipe';
import { websiteIdFor } from '../websites/website-id';
import type { Services, UseCase } from './use-cases';

const pipe = new FieldsPipe();

/** Does what a key that may do it asks for, with the fields as they were sent. */
export async function ask(
  services: Services,
  useCase: UseCase,
  key: ApiKey,
  { ...sent }: Record<string, unknown>,
  signal?: AbortSignal,
): Promise<object> {
  const { id: name, fields: dto } = useCase;
  const websiteId = name ? websiteIdFor(key, sent[name]) : 0;
  if (name) delete sent[name];
  const fields = typeof dto === 'string' ? sent : await pipe.transform(sent, { type: 'body', metatype: dto });
  const caller = { owner: key.userId, ...(signal && { signal }) };
  const asked = { key, caller, websiteId, fields: fields as object };
  return envelopeOf(await useCase.answer(services, asked), useCase.pathOf?.(websiteId) ?? '');
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
