import { Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { RecipientAnswers } from '../../recipients/recipient-answers';
import { RecipientLinks } from '../../recipients/recipient-links';
import { recipientPages } from '../../recipients/recipient-pages';
import { UsersService } from '../../users/users.service';
import { WebsitesRepository } from '../../websites/websites.repository';
import { AlertRecipientsRepository } from './alert-recipients.repository';

@ApiTags('Alerts')
@Controller('alerts')
export class AlertRecipientPagesController extends recipientPages('alerts') {
  constructor(
    links: RecipientLinks,
    recipients: AlertRecipientsRepository,
    websites: WebsitesRepository,
    users: UsersService,
  ) {
    super(new RecipientAnswers('alerts', links, recipients, websites, users));
  }
}
