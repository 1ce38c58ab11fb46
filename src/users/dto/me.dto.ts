import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { type Language, LANGUAGES } from '../../../engine/ground/languages';
import { IfSent, IsOneOf, IsText } from '../../validation/rules';
import { parsed, ReadAs } from '../../validation/transforms';
import { normaliseEmail } from '../../validation/parsers';
import type { User } from '../user.entity';
import { KeyView } from './key.view';

const LANGUAGE = { enum: LANGUAGES, description: 'The language of mails to you.' };

export class UpdateMe {
  @IfSent()
  @ReadAs((sent) => parsed(normaliseEmail, sent))
  @IsText('isEmailAddress', normaliseEmail)
  @ApiPropertyOptional({ type: String, format: 'email', maxLength: 254, example: 'ann@example.com' })
  email?: string;

  @IfSent()
  @IsOneOf(LANGUAGES)
  @ApiPropertyOptional({ ...LANGUAGE, example: 'de' })
  language?: Language;
}

@ApiSchema({ description: 'The user whose key was sent, and what the key may do.' })
export class MeView {
  @ApiProperty({ type: 'integer', example: 1 })
  id!: number;

  @ApiProperty({ example: 'ann@example.com' })
  email!: string;

  @ApiProperty({ ...LANGUAGE, example: 'en' })
  language!: Language;

  @ApiProperty({ type: String, format: 'date-time', example: '2026-01-31T12:00:00.000Z' })
  created_at!: string;

  @ApiProperty({ description: 'The key of this request.' })
  key!: KeyView;

  static of({ id, email, language, createdAt }: User, key: KeyView): MeView {
    return { id, email, language, created_at: createdAt.toISOString(), key };
  }
}
