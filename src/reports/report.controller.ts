import { Body, Controller, Get, Header, HttpCode, Post, Query, UseInterceptors } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { Access, CallerId, CostlyCaller } from '../auth/bearer.guard';
import type { Caller } from '../../engine/ground/gate';
import { EnvelopeInterceptor } from '../http/answers/envelope.interceptor';
import { ApiOne } from '../http/openapi/openapi';
import { ApiProblems, REQUEST_ID_HEADER } from '../http/openapi/openapi-problems';
import { NoFields } from '../validation/fields';
import { OwnWebsiteId, resourcePath } from '../websites/resources/resource.controller';
import { ApiWebsiteId } from '../websites/website-id';
import { ReportNowService } from './report-now.service';
import { SentReportView } from './sent-report.view';
import { Budget } from '../http/requests/routes';

/** Mails have their styles inline, and load nothing. */
const PREVIEW_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'";

@ApiTags('Reports')
@Controller(resourcePath('report'))
export class ReportController {
  constructor(private readonly reports: ReportNowService) {}

  @Get()
  @Budget('statistics')
  @Access('read')
  @Header('Content-Type', 'text/html; charset=utf-8')
  @Header('Content-Security-Policy', PREVIEW_POLICY)
  @ApiOperation({
    operationId: 'previewReport',
    summary: 'Preview a report',
    description:
      'The mail of the last week or month, as its owner gets it, but without the link that stops the reports.',
  })
  @ApiWebsiteId('website_id')
  @ApiResponse({
    status: 200,
    description: 'The mail.',
    headers: REQUEST_ID_HEADER,
    content: { 'text/html': { schema: { type: 'string' } } },
  })
  @ApiProblems([400, 404, 422, 500, 503])
  preview(
    @CallerId() ownerId: number,
    @OwnWebsiteId() websiteId: number,
    @Query() _: NoFields,
    @CostlyCaller() caller: Caller,
  ): Promise<string> {
    return this.reports.preview(ownerId, websiteId, caller);
  }

  @Post('send')
  @HttpCode(202)
  @Access('full')
  @UseInterceptors(EnvelopeInterceptor)
  @ApiOperation({
    operationId: 'sendReport',
    summary: 'Send a report now',
    description:
      'The report of the last week or month goes to the owner and to all recipients who confirmed, whatever the email of the website is. It counts for no period. The report of a website can be sent three times in a day (UTC), and a user can send 200 mails of reports.',
  })
  @ApiWebsiteId('website_id')
  @ApiOne(SentReportView, { status: 202, description: 'The report, which is on its way.' })
  @ApiProblems([400, 404, 409, 408, 413, 415, 422, 500, 503])
  send(
    @CallerId() ownerId: number,
    @OwnWebsiteId() websiteId: number,
    @Query() _: NoFields,
    @Body() __: NoFields,
  ) {
    return this.reports.send(ownerId, websiteId);
  }
}
