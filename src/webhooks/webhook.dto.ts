import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional, OmitType, ApiSchema } from '@nestjs/swagger';
import { ArrayNotEmpty, ArrayUnique, IsArray, IsIn } from 'class-validator';
import { PageQuery } from '../validation/page-query';
import type { Scope } from '../auth/api-key.entity';
import { IfSent, IsOneOf, IsSwitch, IsText, SENT_SWITCH } from '../validation/rules';
import { parsed, ReadAs } from '../validation/transforms';
import { type Sent, sentWhen } from '../websites/resources/resource-fields';
import { deletionOf, ResourceView } from '../websites/resources/resource.view';
import type { Switch } from '../websites/website.entity';
import { WEBHOOK_EVENTS, WEBHOOK_FORMATS, type WebhookEvent, type WebhookFormat } from './events';
import { normaliseUrl } from './webhook-url';
import type { Webhook } from './webhook.entity';

const URL_FIELD = { type: String, maxLength: 2000, example: 'https://example.com/hooks' } as const;
const EVENTS = {
  type: 'array' as const,
  items: { type: 'string' as const, enum: [...WEBHOOK_EVENTS] },
  minItems: 1,
  uniqueItems: true,
  example: ['alert', 'goal.reached'],
};
const FORMAT =
  'What is posted: the signed JSON of Milepost, or a message for people in a chat. The address is a secret then: keys without the scope full see its host.';
const ENABLED = 'Whether it gets deliveries: 0 = No, 1 = Yes.';

const IsWebhookUrl = (sent: Sent) =>
  applyDecorators(
    sentWhen(sent),
    ReadAs((value) => parsed(normaliseUrl, typeof value === 'string' ? value.trim() : value)),
    IsText('isWebhookUrl', normaliseUrl),
    ApiProperty({
      ...URL_FIELD,
      pattern: '^\\s*[Hh][Tt][Tt][Pp][Ss]?:',
      required: sent === 'stored',
      description: 'An address with http or https, without a user and a fragment.',
    }),
  );

const ofEvents = { each: true, message: `must be a list of ${WEBHOOK_EVENTS.join(', ')}` };

const IsEventList = (sent: Sent) =>
  applyDecorators(
    sentWhen(sent),
    ReadAs((value) => (typeof value === 'string' ? value.split(',').map((one) => one.trim()) : value)),
    IsArray({ message: ofEvents.message }),
    IsIn(WEBHOOK_EVENTS, ofEvents),
    ArrayNotEmpty({ message: 'must not be empty' }),
    ArrayUnique({ message: 'must not contain duplicates' }),
    ApiProperty({
      anyOf: [{ type: 'string' }, EVENTS],
      required: sent === 'stored',
      example: EVENTS.example,
      description: 'The events that it gets; in a form, with commas between them.',
    }),
  );

class WebhookFields {
  @IfSent()
  @IsSwitch()
  @ApiPropertyOptional({
    ...SENT_SWITCH,
    default: 1,
    description: ENABLED,
  })
  enabled?: Switch;

  @IfSent()
  @IsOneOf(WEBHOOK_FORMATS)
  @ApiPropertyOptional({ enum: WEBHOOK_FORMATS, default: 'milepost', description: FORMAT })
  format?: WebhookFormat;
}

export class StoreWebhook extends WebhookFields {
  @IsWebhookUrl('stored')
  url!: string;

  @IsEventList('stored')
  events!: WebhookEvent[];
}

export class UpdateWebhook extends WebhookFields {
  @IsWebhookUrl('changed')
  url?: string;

  @IsEventList('changed')
  events?: WebhookEvent[];
}

/** A user has few webhooks, in the order of their creation. */
export class ListWebhooks extends OmitType(PageQuery, ['sort']) {}

@ApiSchema({ description: 'An address that events of websites are posted to.' })
export class WebhookView extends ResourceView {
  @ApiProperty(URL_FIELD)
  url!: string;

  @ApiProperty(EVENTS)
  events!: WebhookEvent[];

  @ApiProperty({ enum: WEBHOOK_FORMATS, example: 'milepost', description: FORMAT })
  format!: WebhookFormat;

  @ApiProperty({ type: 'integer', enum: [0, 1], example: 1, description: ENABLED })
  enabled!: Switch;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    example: null,
    description:
      'The end of its pause after five failures in a row: before, only tests and what you send again are tried. It stays past until the next attempt has ended. Null without a pause.',
  })
  paused_until!: string | null;

  static of(
    this: void,
    { id, url, events, format, enabled, pausedUntil, createdAt, updatedAt }: Webhook,
    scope: Scope = 'full',
  ): WebhookView {
    const isShown = scope === 'full' || format === 'milepost';
    return {
      ...{ id, url: isShown ? url : `${new URL(url).origin}/…`, events, format, enabled },
      ...{ paused_until: pausedUntil?.toISOString() ?? null },
      ...{ created_at: createdAt.toISOString(), updated_at: updatedAt.toISOString() },
    };
  }
}

@ApiSchema({ description: 'A webhook with its secret. No other answer has the secret.' })
export class WebhookSecretView extends WebhookView {
  @ApiProperty({
    example: 'whsec_2fG9xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx=',
    description: 'What its deliveries are signed with. No other answer has it.',
  })
  secret!: string;
}

export const WEBHOOK_COLUMNS = [
  'id',
  'url',
  'events',
  'format',
  'enabled',
  'paused_until',
  'created_at',
  'updated_at',
] as const satisfies (keyof WebhookView)[];

export const WebhookDeletionView = deletionOf('webhook', 'WebhookDeletionView');
