import { Controller, Get, HttpCode, Param, Post, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { shownDomain } from '../../engine/ground/shown-domain';
import { wordsFor } from '../http/words/words';
import { AnswersLinkPage } from '../mail/answers-link-page';
import { answerPage } from '../mail/link-page';
import { WebsitesRepository } from '../websites/websites.repository';
import { UNSUBSCRIBE_PATH, UnsubscribeLinks } from './unsubscribe-links';

const TOKEN = {
  example: '1.9Jv3f0Vn1xUe5Nq7bYxS2wq4m8k0dT6hC1rZpQyLw3E',
  description: 'The last part of a link from a report.',
};

/** Anyone with a link from a report can stop that website's reports with one click and without a key. */
@ApiTags('Reports')
@Controller(UNSUBSCRIBE_PATH)
export class UnsubscribeController {
  constructor(
    private readonly links: UnsubscribeLinks,
    private readonly websites: WebsitesRepository,
  ) {}

  @Get(':token')
  @ApiOperation({
    operationId: 'confirmUnsubscribe',
    summary: 'Ask whether to stop email reports',
    description: 'A page with a button. It changes nothing, so that programs that follow links do no harm.',
  })
  @AnswersLinkPage('The page.', TOKEN)
  async ask(
    @Param('token') token: string,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<string> {
    const { language, unsubscribe } = wordsFor(request);
    const id = this.links.websiteIn(token);
    if (id === undefined) return answerPage(response, 404, { language, ...unsubscribe.notValid });
    const website = await this.websites.findUnscoped(id);
    if (!website?.email) return answerPage(response, 200, { language, ...unsubscribe.stopped });
    const { asks } = unsubscribe;
    return answerPage(response, 200, { language, ...asks, title: asks.title(shownDomain(website.domain)) });
  }

  @Post(':token')
  @HttpCode(200)
  @ApiOperation({
    operationId: 'unsubscribe',
    summary: 'Stop email reports',
    description:
      'Sets `email` of the website to 0. The button of the page sends it, and mail programs do by RFC 8058.',
  })
  @AnswersLinkPage('The reports are stopped.', TOKEN)
  async stop(
    @Param('token') token: string,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<string> {
    const { language, unsubscribe } = wordsFor(request);
    const id = this.links.websiteIn(token);
    if (id === undefined) return answerPage(response, 404, { language, ...unsubscribe.notValid });
    await this.websites.changeUnscoped(id, (website) => ({ ...website, email: 0 }));
    return answerPage(response, 200, { language, ...unsubscribe.stopped });
  }
}
