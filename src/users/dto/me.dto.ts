import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IfSent, IsText } from '../../validation/rules';
import { parsed, ReadAs } from '../../validation/transforms';
import { normaliseEmail } from '../../validation/parsers';
import type { User } from '../user.entity';
import { KeyView } from './key.view';

export class UpdateMe {
  @IfSent()
  @ReadAs((sent) => parsed(normaliseEmail, sent))
  @IsText('isEmailAddress', normaliseEmail)
  @ApiPropertyOptional({ type: String, format: 'email', maxLength: 254, example: 'ann@example.com' })
  email?: string;
}

export class MeView {
  @ApiProperty({ type: 'integer', example: 1 })
  id!: number;

  @ApiProperty({ example: 'ann@example.com' })
  email!: string;

  @ApiProperty({ type: String, format: 'date-time', example: '2026-01-31T12:00:00.000Z' })
  created_at!: string;

  @ApiProperty({ description: 'The key of this request.' })
  key!: KeyView;

  static of({ id, email, createdAt }: User, key: KeyView): MeView {
    return { id, email, created_at: createdAt.toISOString(), key };
  }
}
