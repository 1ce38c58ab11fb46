import { Controller, Get, HttpCode, Param, Post, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { shownDomain } from '../../common/shown-domain';
import { type Words, wordsFor } from '../../http/words/words';
import { AnswersLinkPage } from '../../mail/answers-link-page';
import { answerPage } from '../../mail/link-page';
import { UsersService } from '../../users/users.service';
import { WebsitesRepository } from '../../websites/websites.repository';
import { ALERTS_PATH, RecipientLinks, type Subscription } from './recipient-links';
import { RecipientsRepository } from './recipients.repository';

const TOKEN = {
  example: '1.dGVhbUBleGFtcGxlLmNvbQ.9Jv3f0Vn1xUe5Nq7bYxS2wq4m8k0dT6hC1rZpQyLw3E',
  description: 'The last part of a link from a mail about alerts.',
};

type Page = keyof Omit<Words['alerts'], 'notValid'>;

/** Whoever reads the mails of an address decides by links in them whether it gets those about alerts. */
@ApiTags('Alerts')
@Controller(ALERTS_PATH)
export class RecipientsController {
  constructor(
    private readonly links: RecipientLinks,
    private readonly recipients: RecipientsRepository,
    private readonly websites: WebsitesRepository,
    private readonly users: UsersService,
  ) {}

  @Get('confirm/:token')
  @ApiOperation({
    operationId: 'askForAlerts',
    summary: 'Ask whether to send alerts to an address',
    description: 'A page with a button. It changes nothing, so that programs that follow links do no harm.',
  })
  @AnswersLinkPage('The page.', TOKEN)
  confirming(
    @Param('token') token: string,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<string> {
    return this.answer(token, request, response, async ({ websiteId, address }) => {
      const state = await this.recipients.findStateUnscoped(websiteId, address);
      return state === 'confirmed' ? 'confirmed' : 'asks';
    });
  }

  @Post('confirm/:token')
  @HttpCode(200)
  @ApiOperation({
    operationId: 'confirmAlerts',
    summary: 'Confirm that an address gets alerts',
    description: 'The button of the page sends it. It holds for all alerts of the website.',
  })
  @AnswersLinkPage('The address is confirmed.', TOKEN)
  confirm(
    @Param('token') token: string,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<string> {
    return this.answer(token, request, response, async ({ websiteId, address }) => {
      await this.recipients.decideUnscoped(websiteId, address, 'confirmed');
      return 'confirmed';
    });
  }

  @Get('unsubscribe/:token')
  @ApiOperation({
    operationId: 'askToStopAlerts',
    summary: 'Ask whether to stop alerts to an address',
    description: 'A page with a button. It changes nothing.',
  })
  @AnswersLinkPage('The page.', TOKEN)
  stopping(
    @Param('token') token: string,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<string> {
    return this.answer(token, request, response, async ({ websiteId, address }) => {
      const state = await this.recipients.findStateUnscoped(websiteId, address);
      return state === 'unsubscribed' ? 'stopped' : 'asksToStop';
    });
  }

  @Post('unsubscribe/:token')
  @HttpCode(200)
  @ApiOperation({
    operationId: 'stopAlerts',
    summary: 'Stop alerts to an address',
    description:
      'The button of the page sends it, and mail programs do by RFC 8058. It holds for all alerts of the website.',
  })
  @AnswersLinkPage('The alerts are stopped.', TOKEN)
  stop(
    @Param('token') token: string,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<string> {
    return this.answer(token, request, response, async ({ websiteId, address }) => {
      await this.recipients.decideUnscoped(websiteId, address, 'unsubscribed');
      return 'stopped';
    });
  }

  private async answer(
    token: string,
    request: Request,
    response: Response,
    decide: (subscription: Subscription) => Promise<Page>,
  ): Promise<string> {
    const subscription = this.links.read(token);
    const website = subscription && (await this.websites.findUnscoped(subscription.websiteId));
    if (!subscription || !website) {
      const { language, alerts } = wordsFor(request);
      return answerPage(response, 404, { language, ...alerts.notValid });
    }
    // As the mail with the link.
    const owner = await this.users.show(website.userId);
    const { language, alerts } = wordsFor(request, owner.language);
    const page = await decide(subscription);
    // Whoever stopped the alerts can change their mind with the same token.
    const again = page === 'stopped' && { action: `../confirm/${token}` };
    const words = alerts[page](shownDomain(website.domain), subscription.address);
    return answerPage(response, 200, { language, ...words, ...again });
  }
}
