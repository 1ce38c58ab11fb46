import { ApiProperty, ApiSchema } from '@nestjs/swagger';

/** What is sent to addresses besides the owner's. Each topic has its own decisions, links and texts. */
export type Topic = 'alerts' | 'reports';

export const RECIPIENT_STATES = ['pending', 'confirmed', 'unsubscribed'] as const;
export type RecipientState = (typeof RECIPIENT_STATES)[number];

/** An address besides the owner's. It gets mails once somebody who reads them has confirmed it. */
export interface Recipient {
  address: string;
  state: RecipientState;
}

/** Why a mail to an address is not sent. */
export const NO_RECIPIENT = 'the address is not a recipient any more';

@ApiSchema({ description: 'An address that gets mails, and what it decided.' })
export class RecipientView implements Recipient {
  @ApiProperty({ example: 'team@example.com' })
  address!: string;

  @ApiProperty({
    enum: RECIPIENT_STATES,
    example: 'confirmed',
    description:
      'Only a confirmed address gets mails. What an address decided holds for all alerts of the website, or for its reports.',
  })
  state!: RecipientState;
}
