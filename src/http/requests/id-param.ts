import { Injectable, Param, type PipeTransform } from '@nestjs/common';
import { type Missing, NotFound } from '../../common/problems';
import { positiveInteger } from '../../validation/parsers';

/** An impossible id is handled like one that does not exist. */
@Injectable()
class IdPipe implements PipeTransform<string, number> {
  constructor(private readonly what: Missing) {}

  transform(text: string): number {
    return idOf(text, this.what);
  }
}

/** Throws NotFound for what cannot be an id. */
export function idOf(sent: unknown, what: Missing): number {
  const id = typeof sent === 'number' || typeof sent === 'string' ? positiveInteger(String(sent)) : undefined;
  if (id === undefined) throw new NotFound(what);
  return id;
}

/** The id in the path of something other than a website. */
export const IdParam = (name: string, what: Missing) => Param(name, new IdPipe(what));
