import { Controller, Get, Req, Res, UseFilters } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { version } from '../../../package.json';
import { COMMAND_LINE } from '../../config/command-line';
import { Settings } from '../../config/settings';
import { sourceOfPlaces } from '../../derive/geography/geography';
import { wordsFor } from '../../http/words/words';
import { BuiltPages } from '../built-pages';
import { scriptedPage, sendPage } from '../page';
import { PageProblemFilter } from '../page-problem.filter';

/** The console: a page that asks for a key, and shows everything that the key may see. */
@ApiExcludeController()
@Controller()
@UseFilters(PageProblemFilter)
export class ConsoleController {
  constructor(
    private readonly pages: BuiltPages,
    private readonly settings: Settings,
  ) {}

  @Get()
  show(@Req() request: Request, @Res() response: Response): void {
    const { baseUrl, timezone, geoDb, moves } = this.settings;
    const words = wordsFor(request);
    const html = scriptedPage(
      { title: words.console, loaded: this.pages.loadedBy('console'), root: './', words },
      {
        'data-timezone': timezone,
        'data-base': baseUrl,
        'data-version': version,
        'data-command': COMMAND_LINE,
        'data-geography': sourceOfPlaces(geoDb),
        'data-hits': moves && !moves.home ? 'rows' : undefined,
      },
    );
    sendPage(response, html, "'none'");
  }
}
