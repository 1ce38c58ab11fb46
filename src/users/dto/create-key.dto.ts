import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { MAX_WEBSITES_OF_KEY, type Scope, SCOPES } from '../../auth/api-key.entity';
import {
  Clearable,
  IsDateTime,
  IsListOfIds,
  IsOneOf,
  IsText,
  Required,
  SENT_DATE_TIME,
} from '../../validation/rules';
import { ReadAs } from '../../validation/transforms';
import { displayName } from '../../validation/parsers';

export class CreateKey {
  @Required()
  @ReadAs((sent) => (typeof sent === 'string' ? sent.trim() : sent))
  @IsText('isKeyName', displayName)
  @ApiProperty({
    type: String,
    minLength: 1,
    maxLength: 100,
    example: 'dashboard',
    description: 'What it is for.',
  })
  name!: string;

  @Required()
  @IsOneOf(SCOPES)
  @ApiProperty({
    enum: SCOPES,
    description:
      'The permissions: everything (full), read websites and statistics, send events, or store annotations.',
  })
  scope!: Scope;

  @Clearable()
  @IsListOfIds(MAX_WEBSITES_OF_KEY)
  @ApiPropertyOptional({
    anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'integer' }, maxItems: MAX_WEBSITES_OF_KEY }],
    nullable: true,
    example: '1,2',
    description: `The ids of the websites that it is limited to, at most ${MAX_WEBSITES_OF_KEY}, with commas between them; all by default.`,
  })
  websites?: number[] | null;

  @Clearable()
  @IsDateTime()
  @ApiPropertyOptional({
    type: String,
    nullable: true,
    ...SENT_DATE_TIME,
    example: '2030-01-31T12:00:00',
    description: 'When it stops working, as Y-m-dTH:i:s in UTC; never by default.',
  })
  expires_at?: Date | null;
}
