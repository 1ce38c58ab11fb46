import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { type ApiKey, MAX_WEBSITES_OF_KEY, type Scope, SCOPES } from '../../auth/api-key.entity';

const MOMENT = { type: String, format: 'date-time', example: '2026-01-31T12:00:00.000Z' } as const;

@ApiSchema({ description: 'An API key, without the key itself.' })
export class KeyView {
  @ApiProperty({ type: 'integer', example: 1 })
  id!: number;

  @ApiProperty({ example: 'mp_2fG9x', description: 'Its first characters.' })
  prefix!: string;

  @ApiProperty({ example: 'dashboard' })
  name!: string;

  @ApiProperty({ enum: SCOPES, example: 'read' })
  scope!: Scope;

  @ApiProperty({
    type: 'array',
    items: { type: 'integer' },
    maxItems: MAX_WEBSITES_OF_KEY,
    nullable: true,
    example: [1, 2],
    description: 'The ids of the websites that it is limited to; null if it is not limited.',
  })
  websites!: number[] | null;

  @ApiProperty(MOMENT)
  created_at!: string;

  @ApiProperty({ ...MOMENT, nullable: true })
  expires_at!: string | null;

  @ApiProperty({ ...MOMENT, nullable: true, description: 'To the minute.' })
  last_used_at!: string | null;

  static of(this: void, key: ApiKey): KeyView {
    return {
      id: key.id,
      prefix: key.prefix,
      name: key.name,
      scope: key.scope,
      websites: key.websites,
      created_at: key.createdAt.toISOString(),
      expires_at: key.expiresAt?.toISOString() ?? null,
      last_used_at: key.lastUsedAt?.toISOString() ?? null,
    };
  }
}

@ApiSchema({ description: 'A new API key. Only this answer has the key itself.' })
export class NewKeyView extends KeyView {
  @ApiProperty({
    example: 'mp_2fG9xxxxxxxxxxxxxxxxxxxxxxxxxxxx',
    description: 'The key itself, shown this once.',
  })
  key!: string;
}

@ApiSchema({ description: 'The confirmation that a key was deleted.' })
export class KeyDeletionView {
  @ApiProperty({ type: 'integer', example: 1 })
  id!: number;

  @ApiProperty({ enum: ['key'], example: 'key' })
  object!: 'key';

  @ApiProperty({ enum: [true], example: true })
  deleted!: true;
}
