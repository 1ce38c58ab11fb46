import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiParam } from '@nestjs/swagger';
import type { Request } from 'express';
import { keepsToWebsites, keyOf } from '../auth/bearer.guard';
import { NotFound } from '../common/problems';
import { positiveInteger } from '../validation/parsers';
import type { ApiKey } from '../auth/api-key.entity';

/** The id of a website as sent. An impossible id, or one that the key does not cover, is reported as not found. */
export function websiteIdFor(key: ApiKey, sent: unknown): number {
  const id = typeof sent === 'number' || typeof sent === 'string' ? positiveInteger(String(sent)) : undefined;
  if (id === undefined || (key.websites && !key.websites.includes(id))) throw new NotFound('Website');
  return id;
}

const Checked = createParamDecorator((name: string, context: ExecutionContext): number => {
  const request = context.switchToHttp().getRequest<Request>();
  return websiteIdFor(keyOf(request)!, request.params[name]);
});

/** The website's id in the path. Opens the route to keys that are limited to websites. */
export const WebsiteId =
  (name: string): ParameterDecorator =>
  (target, method, index) => {
    keepsToWebsites(target, method!);
    Checked(name)(target, method, index);
  };

export const ApiWebsiteId = (name: string) =>
  ApiParam({
    name,
    schema: { type: 'integer', minimum: 1, example: 1 },
    description: 'The id of a website.',
  });
