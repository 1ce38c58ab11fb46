import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayNotEmpty, IsArray } from 'class-validator';
import { BROWSER_FIELDS, type EventField, SERVER_FIELDS } from '../../intake/events/event-fields';
import { AsSent } from '../../validation/marks';
import { IsAllowed } from '../../validation/rules';

/** Documents the checks of `parseBrowserEvent` and `parseServerEvent`, which class-validator would slow down. */
const From = (fields: Record<string, EventField>): PropertyDecorator => {
  return (target, property) => {
    const { read, schema } = fields[String(property)]!;
    applyDecorators(AsSent(), IsAllowed('isEventField', read), ApiProperty(schema))(target, property);
  };
};

class EventDto {
  @From(BROWSER_FIELDS)
  url!: string;

  @From(BROWSER_FIELDS)
  domain?: string | null;

  @From(BROWSER_FIELDS)
  referrer?: string | null;

  @From(BROWSER_FIELDS)
  title?: string | null;

  @From(BROWSER_FIELDS)
  language?: string | null;

  @From(BROWSER_FIELDS)
  screen?: string | null;

  @From(BROWSER_FIELDS)
  event?: object | null;
}

@ApiSchema({ description: 'A page view, or an event on a page.' })
export class BrowserEventDto extends EventDto {
  @From(BROWSER_FIELDS)
  id?: string | null;
}

@ApiSchema({ description: 'A page view or an event that a server sends for a visitor.' })
export class ServerEventDto extends EventDto {
  @From(SERVER_FIELDS)
  id!: string;

  @From(SERVER_FIELDS)
  ip!: string;

  @From(SERVER_FIELDS)
  user_agent!: string;

  @From(SERVER_FIELDS)
  occurred_at?: string | null;
}

const MAX_EVENTS = 1000;
const LIST = { message: `must be an array of 1 to ${MAX_EVENTS.toLocaleString('en')} events` };

@ApiSchema({ description: 'Events that a server sends at once.' })
export class EventBatchDto {
  /** Each event is checked by itself: an invalid one does not reject the others, unless it is too large to be read. */
  @ApiProperty({ type: [ServerEventDto], minItems: 1, maxItems: MAX_EVENTS })
  @AsSent()
  @ArrayMaxSize(MAX_EVENTS, LIST)
  @ArrayNotEmpty(LIST)
  @IsArray(LIST)
  events!: unknown[];
}

@ApiSchema({ description: 'What became of an event.' })
export class EventVerdictView {
  @ApiProperty({ type: String, nullable: true, description: 'The id of the event as it was sent.' })
  id!: string | null;

  @ApiProperty({ enum: ['accepted', 'duplicate', 'dropped', 'rejected'] })
  status!: 'accepted' | 'duplicate' | 'dropped' | 'rejected';

  @ApiProperty({
    required: false,
    example: 'bot',
    description: 'Why it was dropped (bot, ip) or rejected (the field and its problem).',
  })
  reason?: string;
}
