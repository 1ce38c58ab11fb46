import { Body, Controller, HttpCode, Post, Query, Req, Res, UseInterceptors } from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Access, CallerId } from '../auth/bearer.guard';
import { EnvelopeInterceptor } from '../http/answers/envelope.interceptor';
import { ApiList } from '../http/openapi/openapi';
import { ApiProblems, REQUEST_ID_HEADER } from '../http/openapi/openapi-problems';
import { DROP_REASONS } from '../../engine/hits/events/dropped-events';
import { EventBatchesService } from '../intake/event-batches.service';
import { NoFields } from '../validation/fields';
import { fieldsAs } from '../validation/fields.pipe';
import { ApiWebsiteId, WebsiteId } from '../websites/website-id';
import { BrowserEventDto, EventBatchDto, EventVerdictView } from './dto/event-batch.dto';
import { EventReceiver } from './event-receiver';
import { Budget, ReadsBody } from '../http/requests/routes';

const DROPPED = {
  required: false,
  description: 'Why the event was dropped, if it was: bot, ip, origin or opt-out.',
  schema: { type: 'string' as const, enum: Object.keys(DROP_REASONS) },
};

@ApiTags('Tracking')
@Controller('api/v1')
export class EventsController {
  constructor(
    private readonly batches: EventBatchesService,
    private readonly receiver: EventReceiver,
  ) {}

  /** Documents the route. EventReceiver answers it before Express. */
  @Post('events')
  @Budget('events')
  @ApiOperation({
    operationId: 'sendEvent',
    summary: 'Send an event from a page',
    description:
      'Needs no key and may be sent from any page. The answer is 202 once the event is safely stored.',
  })
  @ApiConsumes('application/json', 'text/plain')
  @ApiBody({
    type: BrowserEventDto,
    examples: { page_view: { summary: 'A page view', value: { url: 'https://example.com/pricing' } } },
  })
  @ApiResponse({
    status: 202,
    description: 'It was accepted, or dropped by a rule.',
    headers: { ...REQUEST_ID_HEADER, 'Milepost-Dropped': DROPPED },
  })
  @ApiProblems([400, 404, 408, 413, 415, 422, 429, 500, 503], { 404: 'The domain is not registered.' })
  send(@Req() request: Request, @Res() response: Response): Promise<void> {
    return this.receiver.receive(request, response);
  }

  @Post('websites/:id/events')
  @Budget('events')
  @ReadsBody('batch')
  @HttpCode(202)
  @UseInterceptors(EnvelopeInterceptor)
  @Access('events')
  @ApiOperation({
    operationId: 'sendEvents',
    summary: 'Send events from a server',
    description:
      'Up to 1,000 events of a website and its subdomains, except subdomains that are registered themselves. ' +
      'The answer has a verdict for each, in the same order.',
  })
  @ApiWebsiteId('id')
  @ApiConsumes('application/json')
  @ApiBody({ type: EventBatchDto })
  @ApiList(EventVerdictView, { status: 202, description: 'The verdicts.' })
  @ApiProblems([400, 404, 408, 413, 415, 422, 500, 503])
  sendMany(
    @CallerId() ownerId: number,
    @WebsiteId('id') id: number,
    @Query() _: NoFields,
    @Body() body: object,
  ) {
    const read = async () => (await fieldsAs(EventBatchDto, body)).events;
    return this.batches.accept(ownerId, id, read);
  }
}
