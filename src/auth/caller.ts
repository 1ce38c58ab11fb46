import type { Request } from 'express';
import type { ApiKey } from './api-key.entity';

/** The key of the caller: Passport's user of the request. Undefined where there is none. */
export function keyOf(request: Request): ApiKey | undefined {
  return request.user as ApiKey | undefined;
}
