import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { NotFound } from '../common/problems';
import { firstAccepted } from '../http/answers/compression';
import { BuiltPages } from './built-pages';

/** Scripts and styles of the pages. A file never changes, because its name depends on its content. */
@ApiExcludeController()
@Controller('assets')
export class AssetsController {
  constructor(private readonly pages: BuiltPages) {}

  @Get(':name')
  send(@Param('name') name: string, @Req() request: Request, @Res() response: Response): void {
    const asset = this.pages.asset(name);
    if (!asset) throw new NotFound('Route');
    const wanted = firstAccepted(request, ['br', 'gzip']);
    const encoding = asset.bytes[wanted] ? wanted : 'identity';
    response.vary('Accept-Encoding').set({
      'Content-Type': asset.type,
      'Cache-Control': 'public, max-age=31536000, immutable',
    });
    if (encoding !== 'identity') response.set('Content-Encoding', encoding);
    response.end(asset.bytes[encoding]);
  }
}
