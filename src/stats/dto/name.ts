import { applyDecorators } from '@nestjs/common';
import { ArrayNotEmpty, ArrayUnique } from 'class-validator';
import { NotAllowed } from '../../../engine/ground/errors';
import { IsAllowed } from '../../validation/rules';
import { ReadAs } from '../../validation/transforms';
import { decodeListPart } from '../../../engine/questions/parse/filter-syntax';

type Known = (name: unknown) => boolean;

function check(isKnown: Known, allowed: readonly string[]) {
  return (sent: unknown) => {
    if (sent instanceof NotAllowed) throw sent;
    if (!isKnown(sent)) throw new NotAllowed(`must be one of ${allowed.join(', ')}`);
  };
}

export const IsName = (isKnown: Known, allowed: readonly string[]) =>
  IsAllowed('isName', check(isKnown, allowed));

/** An unreadable name becomes its problem. */
function nameOrProblem(encoded: string): unknown {
  try {
    return decodeListPart(encoded);
  } catch (error) {
    return error;
  }
}

/** One or more distinct names: a list, or a text of percent-encoded names separated by commas. */
export const IsListOfNames = (isKnown: Known, allowed: readonly string[]) =>
  applyDecorators(
    ReadAs((sent) => (typeof sent === 'string' ? sent.split(',').map(nameOrProblem) : sent)),
    IsAllowed('isListOfNames', (sent) => [sent].flat().forEach(check(isKnown, allowed))),
    ArrayNotEmpty({ message: 'must not be empty' }),
    ArrayUnique({ message: 'must not contain duplicates' }),
  );
