import { Body, Controller, Get, Put, Query, UseInterceptors } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Access, CallerId } from '../../auth/bearer.guard';
import { isExpectedBy, type Precondition } from '../../http/answers/entity-tags';
import { EnvelopeInterceptor } from '../../http/answers/envelope.interceptor';
import { Conditional, IfMatch, Revalidated, TagInterceptor } from '../../http/answers/revalidation';
import { ApiOne, ETAG_HEADER } from '../../http/openapi/openapi';
import { ApiProblems } from '../../http/openapi/openapi-problems';
import { NoFields } from '../../validation/fields';
import { OwnWebsiteId, resourcePath } from '../../websites/resources/resource.controller';
import { ApiWebsiteId } from '../../websites/website-id';
import { ReportRecipientsView, SetReportRecipients } from './report-recipients.dto';
import { ReportRecipientsService } from './report-recipients.service';

const DESCRIPTION =
  'The addresses besides the owner’s that get the reports of a website, ten at most. They get them while its email is 1, once they have confirmed. An address that nobody confirms within 30 days leaves the list.';

@ApiTags('Reports')
@Controller(resourcePath('report-recipients'))
@UseInterceptors(EnvelopeInterceptor)
export class ReportRecipientsController {
  constructor(private readonly recipients: ReportRecipientsService) {}

  @Get()
  @Access('read')
  @ApiOperation({
    operationId: 'getReportRecipients',
    summary: 'Show the recipients of reports',
    description: DESCRIPTION,
  })
  @ApiWebsiteId('website_id')
  @Revalidated()
  @ApiOne(ReportRecipientsView, { description: 'The recipients.', headers: ETAG_HEADER })
  @ApiProblems([400, 404, 422, 500, 503])
  show(@CallerId() ownerId: number, @OwnWebsiteId() websiteId: number, @Query() _: NoFields) {
    return this.recipients.show(ownerId, websiteId);
  }

  @Put()
  @Access('full')
  @ApiOperation({
    operationId: 'setReportRecipients',
    summary: 'Set the recipients of reports',
    description: `${DESCRIPTION} The new list replaces the one before. What an address decided stays, also while it is not in the list.`,
  })
  @ApiWebsiteId('website_id')
  @ApiBody({
    type: SetReportRecipients,
    examples: { minimal: { value: { recipients: ['team@example.com'] } } },
  })
  @Conditional()
  @UseInterceptors(TagInterceptor)
  @ApiOne(ReportRecipientsView, { description: 'The new recipients.', headers: ETAG_HEADER })
  @ApiProblems([400, 404, 408, 413, 415, 422, 500, 503])
  replace(
    @CallerId() ownerId: number,
    @OwnWebsiteId() websiteId: number,
    @Query() _: NoFields,
    @Body() input: SetReportRecipients,
    @IfMatch() precondition: Precondition,
  ) {
    return this.recipients.replace(ownerId, websiteId, input, isExpectedBy(precondition));
  }
}
