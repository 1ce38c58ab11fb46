import { applyDecorators, createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import type { Request } from 'express';
import { Malformed } from '../../common/problem';

const SANE_KEY = /^[\x21-\x7e]{1,255}$/;

/** The header Idempotency-Key of a request. */
export const IdempotencyKey = createParamDecorator(
  (_: unknown, context: ExecutionContext): string | undefined => {
    const key = context.switchToHttp().getRequest<Request>().get('Idempotency-Key');
    if (key !== undefined && !SANE_KEY.test(key))
      throw new Malformed('Idempotency-Key must have 1 to 255 visible ASCII characters.');
    return key;
  },
);

/** A route that takes an Idempotency-Key. */
export function Repeatable(): MethodDecorator {
  return applyDecorators(
    ApiHeader({
      name: 'Idempotency-Key',
      required: false,
      schema: { type: 'string', minLength: 1, maxLength: 255 },
      description:
        'Makes a retry safe: the same request with the same key within 48 hours is answered with what the first one made. Another request with that key is 422 ("idempotency_key_reused").',
    }),
  );
}
