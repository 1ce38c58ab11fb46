import { Injectable, Param, type PipeTransform } from '@nestjs/common';
import { NotFound } from '../../common/problem';
import { positiveInteger } from '../../validation/parsers';

/** An id that nothing can have is one that does not exist. */
@Injectable()
class IdPipe implements PipeTransform<string, number> {
  constructor(private readonly what: 'Website' | 'Key') {}

  transform(text: string): number {
    const id = positiveInteger(text);
    if (id === undefined) throw new NotFound(this.what);
    return id;
  }
}

export const IdParam = (name: string, what: 'Website' | 'Key') => Param(name, new IdPipe(what));
