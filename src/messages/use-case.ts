import type { Type } from '@nestjs/common';
import type { ModuleRef } from '@nestjs/core';
import type { ApiKey, Scope } from '../auth/api-key.entity';
import type { Caller } from '../../engine/ground/gate';
import type { Missing } from '../common/problems';
import type { BudgetName } from '../config/rate-limits';

export type Services = Pick<ModuleRef, 'get'>;

/** A message of a caller with permission. */
interface Request<F> {
  key: ApiKey;
  caller: Caller;
  /** The website of the message; 0 if it has none. */
  websiteId: number;
  /** The id of the resource that the message is about; 0 if it is about none. */
  resourceId: number;
  fields: F;
}

export interface UseCase<S = unknown, F = object> {
  /** What answers. */
  service: Type<S>;
  summary: string;
  scope: Scope;
  budget: BudgetName;
  /** The name of the field with the website's id, if the message is about one website. */
  id?: 'id' | 'website_id';
  /** The kind of the resource in the field `id`, if the message is about one. */
  resource?: Missing;
  /** Tells whether a key that is limited to websites sees no others. */
  keepsToWebsites: boolean;
  /** The rules of the other fields. */
  fields: Type<F>;
  /** The schema of `data`, one or many, and of `meta`. Answers to queries contain both. */
  data: Type | [Type] | 'answers';
  meta?: Type;
  /** Tells whether `meta` is only there if it says something. */
  isMetaOptional?: boolean;
  /** The path of the same request over HTTP, for the meta of a page. */
  pathOf?: (websiteId: number, resourceId: number) => string;
  answer: (service: S, requested: Request<F>, services: Services) => Promise<unknown>;
}

/** Binds the types of the service and the fields to the rest of the row. */
export function useCase<S, F extends object>(service: Type<S>, row: Omit<UseCase<S, F>, 'service'>): UseCase {
  return { service, ...row } as unknown as UseCase;
}
