import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiParam } from '@nestjs/swagger';
import type { Request } from 'express';
import { keepsToWebsites, keyOf } from '../auth/access';
import { NotFound } from '../common/problem';
import { positiveInteger } from '../validation/parsers';
import type { ApiKey } from '../auth/api-key.entity';

/** The id of a website as it was sent. One that no website can have, or that the key is not for, does not exist. */
export function websiteIdFor(key: ApiKey, sent: unknown): number {
  const id = typeof sent === 'number' || typeof sent === 'string' ? positiveInteger(String(sent)) : undefined;
  if (id === undefined || (key.websites && !key.websites.includes(id))) throw new NotFound('Website');
  return id;
}

const Checked = createParamDecorator((name: string, context: ExecutionContext): number => {
  const request = context.switchToHttp().getRequest<Request>();
  return websiteIdFor(keyOf(request)!, request.params[name]);
});

/** The id of a website in the path. A route with it is open to keys that are limited to websites. */
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
