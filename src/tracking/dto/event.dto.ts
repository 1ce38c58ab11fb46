import { ApiProperty } from '@nestjs/swagger';

class NameView {
  @ApiProperty({ minLength: 1, example: 'signup' })
  name!: string;
}

/** An event as a browser sends it. It is read by `parseBrowserEvent`; this class is its documentation. */
export class BrowserEventDto {
  @ApiProperty({
    maxLength: 8192,
    example: 'https://example.com/pricing?plan=team',
    description: 'The address of the page, with http or https.',
  })
  url!: string;

  @ApiProperty({
    required: false,
    nullable: true,
    type: String,
    example: 'example.com',
    description: 'The website, where it is not the host of the address.',
  })
  domain?: string | null;

  @ApiProperty({
    required: false,
    nullable: true,
    type: String,
    maxLength: 8192,
    example: 'https://www.google.com/',
    description: 'Where the visitor came from.',
  })
  referrer?: string | null;

  @ApiProperty({
    required: false,
    nullable: true,
    type: String,
    maxLength: 255,
    example: 'de-DE',
    description: "The visitor's language; without it, the header Accept-Language tells.",
  })
  language?: string | null;

  @ApiProperty({
    required: false,
    nullable: true,
    type: String,
    pattern: '^[1-9]\\d{0,4}x[1-9]\\d{0,4}$',
    example: '1920x1080',
  })
  screen?: string | null;

  @ApiProperty({
    required: false,
    nullable: true,
    type: NameView,
    description: 'What happened. Without it, this is a page view.',
  })
  event?: NameView | null;

  @ApiProperty({
    required: false,
    nullable: true,
    type: String,
    format: 'uuid',
    example: '5d3c1a52-8a59-4a3e-9a44-0a3a4f4c2f10',
    description: 'Makes it safe to send the event again: it is counted once.',
  })
  id?: string | null;
}

/** An event as a server sends it for a visitor. It is read by `parseServerEvent`. */
export class ServerEventDto extends BrowserEventDto {
  @ApiProperty({ required: true, nullable: false, type: String, format: 'uuid' })
  override id!: string;

  @ApiProperty({ example: '203.0.113.7', description: "The visitor's address. It is not stored." })
  ip!: string;

  @ApiProperty({ example: 'Mozilla/5.0 …', description: "The visitor's agent. It is not stored." })
  user_agent!: string;

  @ApiProperty({
    required: false,
    nullable: true,
    type: String,
    format: 'date-time',
    description: 'Up to 47 hours ago; without it, now.',
  })
  occurred_at?: string | null;
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
