import { Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { RecipientAnswers } from '../../recipients/recipient-answers';
import { RecipientLinks } from '../../recipients/recipient-links';
import { recipientPages } from '../../recipients/recipient-pages';
import { UsersService } from '../../users/users.service';
import { WebsitesRepository } from '../../websites/websites.repository';
import { ReportRecipientsRepository } from './report-recipients.repository';

@ApiTags('Reports')
@Controller('reports')
export class ReportRecipientPagesController extends recipientPages('reports') {
  constructor(
    links: RecipientLinks,
    recipients: ReportRecipientsRepository,
    websites: WebsitesRepository,
    users: UsersService,
  ) {
    super(new RecipientAnswers('reports', links, recipients, websites, users));
  }
}
