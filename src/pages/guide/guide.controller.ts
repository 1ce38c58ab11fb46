import { readFileSync } from 'node:fs';
import { Controller, Get, Param, Req, Res, UseFilters } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { version } from '../../../package.json';
import { builtFile } from '../../../engine/ground/threads/built-file';
import { NotFound } from '../../common/problems';
import { SharedAnswer } from '../../http/answers/compression';
import { en } from '../../http/words/en';
import { BuiltPages } from '../built-pages';
import { guidePage, setPageHeaders } from '../page';
import { PageProblemFilter, rootOf } from '../page-problem.filter';

interface GuidePage {
  title: string;
  html: string;
}

/** What the build makes of the files in `docs`. */
interface Guide {
  /** The list of all pages. */
  contents: string;
  images: string[];
  pages: Record<string, GuidePage>;
}

/** The documentation of this version, in English like its source. */
@ApiExcludeController()
@Controller('docs/guide')
@UseFilters(PageProblemFilter)
export class GuideController {
  private readonly guide = JSON.parse(readFileSync(builtFile('guide/guide.json'), 'utf8')) as Guide;
  private readonly pages = new Map(Object.entries(this.guide.pages));
  /** By name and root. */
  private readonly answers = new Map<string, SharedAnswer>();

  constructor(private readonly built: BuiltPages) {}

  @Get()
  list(@Req() request: Request, @Res() response: Response): void {
    // Its links are relative to the folder of the pages.
    if (!request.path.endsWith('/')) return response.redirect(302, `${rootOf(request.path)}docs/guide/`);
    this.send(request, response, '', { title: `Milepost ${version}`, html: this.guide.contents });
  }

  @Get(':name')
  show(@Param('name') name: string, @Req() request: Request, @Res() response: Response): void {
    if (this.guide.images.includes(name))
      return response.sendFile(builtFile(`guide/${name}`), { maxAge: '1h' });
    const page = this.pages.get(name);
    if (!page) throw new NotFound('Route');
    this.send(request, response, name, page);
  }

  private send(request: Request, response: Response, name: string, page: GuidePage): void {
    const root = rootOf(request.path);
    const key = `${name} ${root}`;
    const answer = this.answers.get(key) ?? new SharedAnswer(() => this.render(page, root));
    this.answers.set(key, answer);
    answer.send(request, setPageHeaders(response, "'none'"));
  }

  private render({ title, html }: GuidePage, root: string): string {
    const loaded = this.built.loadedBy('share');
    const styles = [...loaded.styles, this.built.fileOf('src/guide.css')];
    return guidePage({ title, loaded: { ...loaded, styles }, root, words: en }, html);
  }
}
