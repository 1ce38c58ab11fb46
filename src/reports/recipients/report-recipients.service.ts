import { Injectable } from '@nestjs/common';
import { PreconditionFailed } from '../../common/problems';
import { addressOf } from '../../recipients/recipients-field';
import type { ReportRecipientsView, SetReportRecipients } from './report-recipients.dto';
import { ReportRecipientsRepository } from './report-recipients.repository';

/** The addresses besides the owner's that get reports of a website. */
@Injectable()
export class ReportRecipientsService {
  constructor(private readonly recipients: ReportRecipientsRepository) {}

  async show(ownerId: number, websiteId: number): Promise<ReportRecipientsView> {
    return { recipients: await this.recipients.list(ownerId, websiteId) };
  }

  async replace(
    ownerId: number,
    websiteId: number,
    { recipients: sent }: SetReportRecipients,
    isExpected: (current: ReportRecipientsView) => boolean = () => true,
  ): Promise<ReportRecipientsView> {
    const addresses = sent.map((address) => addressOf(address)!);
    const recipients = await this.recipients.replace(ownerId, websiteId, addresses, (before) => {
      if (!isExpected({ recipients: before })) throw new PreconditionFailed();
    });
    return { recipients };
  }
}
