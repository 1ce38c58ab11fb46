import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { RecipientView } from '../../recipients/recipient';
import { AreRecipients } from '../../recipients/recipients-field';
import { Required } from '../../validation/rules';

export class SetReportRecipients {
  @Required()
  @AreRecipients({ required: true })
  recipients!: string[];
}

@ApiSchema({ description: 'Who gets the reports of a website.' })
export class ReportRecipientsView {
  @ApiProperty({ type: [RecipientView], description: 'In the order in which they were set.' })
  recipients!: RecipientView[];
}
