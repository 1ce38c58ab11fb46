import {
  applyDecorators,
  createParamDecorator,
  type ExecutionContext,
  Get,
  HttpCode,
  Param,
  Post,
} from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import { AnswersLinkPage } from '../mail/answers-link-page';
import type { Topic } from './recipient';
import type { RecipientAnswers, Visit } from './recipient-answers';

const EXAMPLE = '1.dGVhbUBleGFtcGxlLmNvbQ.9Jv3f0Vn1xUe5Nq7bYxS2wq4m8k0dT6hC1rZpQyLw3E';
const NAMES: Record<Topic, string> = { alerts: 'Alerts', reports: 'Reports' };

const OfVisit = createParamDecorator((_: unknown, context: ExecutionContext): Visit => {
  const http = context.switchToHttp();
  return { request: http.getRequest(), response: http.getResponse() };
});

/** A controller by which whoever reads the mails of an address decides whether it gets those of a topic. */
export function recipientPages(topic: Topic) {
  const named = NAMES[topic];
  const Describes = (operationId: string, summary: string, description: string, answer = 'The page.') =>
    applyDecorators(
      ApiOperation({ operationId, summary, description }),
      AnswersLinkPage(answer, {
        example: EXAMPLE,
        description: `The last part of a link from a mail about ${topic}.`,
      }),
    );
  const ofAll = `It holds for all ${topic} of the website.`;

  abstract class RecipientPages {
    constructor(private readonly answers: RecipientAnswers) {}

    @Get('confirm/:token')
    @Describes(
      `askFor${named}`,
      `Ask whether to send ${topic} to an address`,
      'A page with a button. It changes nothing, so that programs that follow links do no harm.',
    )
    confirming(@OfVisit() visit: Visit, @Param('token') token: string) {
      return this.answers.ask(visit, token, 'confirmed');
    }

    @Post('confirm/:token')
    @HttpCode(200)
    @Describes(
      `confirm${named}`,
      `Confirm that an address gets ${topic}`,
      `The button of the page sends it. ${ofAll}`,
      'The address is confirmed.',
    )
    confirm(@OfVisit() visit: Visit, @Param('token') token: string) {
      return this.answers.decide(visit, token, 'confirmed');
    }

    @Get('unsubscribe/:token')
    @Describes(
      `askToStop${named}`,
      `Ask whether to stop ${topic} to an address`,
      'A page with a button. It changes nothing.',
    )
    stopping(@OfVisit() visit: Visit, @Param('token') token: string) {
      return this.answers.ask(visit, token, 'unsubscribed');
    }

    @Post('unsubscribe/:token')
    @HttpCode(200)
    @Describes(
      `stop${named}`,
      `Stop ${topic} to an address`,
      `The button of the page sends it, and mail programs do by RFC 8058. ${ofAll}`,
      `The ${topic} are stopped.`,
    )
    stop(@OfVisit() visit: Visit, @Param('token') token: string) {
      return this.answers.decide(visit, token, 'unsubscribed');
    }
  }
  return RecipientPages;
}
