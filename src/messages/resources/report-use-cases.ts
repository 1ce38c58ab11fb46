import { ReportNowService } from '../../reports/report-now.service';
import { ReportRecipientsService } from '../../reports/recipients/report-recipients.service';
import { ReportRecipientsView, SetReportRecipients } from '../../reports/recipients/report-recipients.dto';
import { SentReportView } from '../../reports/sent-report.view';
import { NoFields } from '../../validation/fields';
import { useCase } from '../use-case';
import { OF_WEBSITE } from './resource-use-cases';

export const REPORT_USE_CASES = {
  'report_recipients.show': useCase(ReportRecipientsService, {
    ...OF_WEBSITE,
    scope: 'read',
    summary: 'Show the recipients of reports',
    fields: NoFields,
    data: ReportRecipientsView,
    answer: (reportRecipients, { key, websiteId }) => reportRecipients.show(key.userId, websiteId),
  }),
  'report_recipients.set': useCase(ReportRecipientsService, {
    ...OF_WEBSITE,
    scope: 'full',
    summary: 'Set the recipients of reports',
    fields: SetReportRecipients,
    data: ReportRecipientsView,
    answer: (reportRecipients, { key, websiteId, fields }) =>
      reportRecipients.replace(key.userId, websiteId, fields),
  }),
  'reports.send': useCase(ReportNowService, {
    ...OF_WEBSITE,
    scope: 'full',
    summary: 'Send a report now',
    fields: NoFields,
    data: SentReportView,
    answer: (reportNow, { key, websiteId }) => reportNow.send(key.userId, websiteId),
  }),
};
