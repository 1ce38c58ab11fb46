import { Transform, type TransformFnParams } from 'class-transformer';
import { NotAllowed } from '../../engine/ground/errors';
import { isForm } from './fields';

type Read = (sent: NonNullable<unknown>, params: TransformFnParams) => unknown;

/** Parses a value as sent. An unreadable value must become one that the field's rules reject. */
export function ReadAs(read: Read): PropertyDecorator {
  const transform = (params: TransformFnParams): unknown => {
    const sent = params.value as NonNullable<unknown> | null | undefined;
    return sent === undefined || sent === null ? sent : read(sent, params);
  };
  return Transform(transform, { toClassOnly: true });
}

/** The parser's result, or `otherwise` if the value is not a text or the parser rejects it. */
export function parsed<T>(parse: (text: string) => T, sent: unknown, otherwise: unknown = sent): unknown {
  if (typeof sent !== 'string') return otherwise;
  try {
    return parse(sent);
  } catch (error) {
    if (error instanceof NotAllowed) return otherwise;
    throw error;
  }
}

/** A number, or one for digits without a leading zero; any other value is unchanged. */
export function integer(sent: unknown): unknown {
  return typeof sent === 'string' && /^(0|[1-9]\d{0,15})$/.test(sent) ? Number(sent) : sent;
}

/** JSON may use `true` and `false` for 1 and 0. */
export function switchOf(sent: unknown): unknown {
  return typeof sent === 'boolean' ? Number(sent) : integer(sent);
}

export function boolean(sent: unknown): unknown {
  if (sent === 'true' || sent === '1' || sent === 1) return true;
  if (sent === 'false' || sent === '0' || sent === 0) return false;
  return sent;
}

/** In JSON, a date-time may end in Z; a form must use the documented pattern. */
export function withoutZ(sent: unknown, { obj }: TransformFnParams): unknown {
  return typeof sent === 'string' && !isForm(obj) ? sent.replace(/Z$/, '') : sent;
}

export function emptyAsNull(sent: unknown): unknown {
  return sent === '' ? null : sent;
}
