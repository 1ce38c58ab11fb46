import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import type { Request } from 'express';
import { Malformed } from '../../common/problems';

const SANE_KEY = /^[\x21-\x7e]{1,255}$/;

/** The request's header Idempotency-Key. */
export const IdempotencyKey = createParamDecorator(
  (_: unknown, context: ExecutionContext): string | undefined => {
    const key = context.switchToHttp().getRequest<Request>().get('Idempotency-Key');
    if (key !== undefined && !SANE_KEY.test(key))
      throw new Malformed('Idempotency-Key must have 1 to 255 visible ASCII characters.');
    return key;
  },
);

/** A route that accepts an Idempotency-Key. */
export function Repeatable(made: string): MethodDecorator {
  return ApiHeader({
    name: 'Idempotency-Key',
    required: false,
    schema: { type: 'string', minLength: 1, maxLength: 255 },
    description: `Makes a retry safe: within 48 hours, the same request with the same key returns the ${made} that the first one created. A different request with that key is 422 ("idempotency_key_reused").`,
  });
}
