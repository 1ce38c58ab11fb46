import { Injectable, Param, type PipeTransform } from '@nestjs/common';
import { ApiParam } from '@nestjs/swagger';
import { positiveInteger } from '../common/parsers';
import { NotFound } from '../common/problem';

/** An id that no website can have is one that does not exist. */
@Injectable()
class IdPipe implements PipeTransform<string, number> {
  transform(text: string): number {
    const id = positiveInteger(text);
    if (id === undefined) throw new NotFound('website');
    return id;
  }
}

export const WebsiteId = (name: string) => Param(name, IdPipe);

export const ApiWebsiteId = (name: string) =>
  ApiParam({
    name,
    schema: { type: 'integer', minimum: 1, example: 1 },
    description: 'The id of a website.',
  });
