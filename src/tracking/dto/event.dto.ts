import { ApiProperty } from '@nestjs/swagger';
import { BROWSER_FIELDS, type EventField, SERVER_FIELDS } from '../../intake/event-fields';

/** An event as a browser sends it. The table of its fields is what `parseBrowserEvent` walks. */
export class BrowserEventDto {}

/** An event as a server sends it for a visitor. */
export class ServerEventDto {}

document(BrowserEventDto, BROWSER_FIELDS);
document(ServerEventDto, SERVER_FIELDS);

function document({ prototype }: { prototype: object }, fields: Record<string, EventField>): void {
  for (const [name, { schema }] of Object.entries(fields)) ApiProperty(schema)(prototype, name);
}

export class EventBatchDto {
  @ApiProperty({ type: [ServerEventDto], minItems: 1, maxItems: 1000 })
  events!: ServerEventDto[];
}

export class EventVerdictView {
  @ApiProperty({ type: String, nullable: true, description: 'The id of the event as it was sent.' })
  id!: string | null;

  @ApiProperty({ enum: ['accepted', 'duplicate', 'dropped', 'rejected'] })
  status!: 'accepted' | 'duplicate' | 'dropped' | 'rejected';

  @ApiProperty({
    required: false,
    example: 'bot',
    description: 'Why it was dropped (bot, ip) or rejected (the field and what is wrong with it).',
  })
  reason?: string;
}
