import { ApiProperty } from '@nestjs/swagger';
import { dateTimeText } from '../../common/parsers';
import { Privacy, type Switch, type Website } from '../website.entity';

export const WEBSITE_COLUMNS = [
  'id',
  'domain',
  'privacy',
  'has_password',
  'email',
  'exclude_bots',
  'exclude_params',
  'exclude_ips',
  'favorited_at',
  'created_at',
  'updated_at',
] as const satisfies (keyof WebsiteView)[];

/** A website as clients see it. */
export class WebsiteView {
  @ApiProperty({ type: 'integer', example: 1 })
  id!: number;

  @ApiProperty({ example: 'example.com' })
  domain!: string;

  @ApiProperty({
    type: 'integer',
    enum: [0, 1, 2],
    example: 1,
    description: '0 = Public, 1 = Private, 2 = Password.',
  })
  privacy!: Privacy;

  @ApiProperty({ example: false, description: 'Whether a password is stored.' })
  has_password!: boolean;

  @ApiProperty({ type: 'integer', enum: [0, 1], example: 0 })
  email!: Switch;

  @ApiProperty({ type: 'integer', enum: [0, 1], example: 1 })
  exclude_bots!: Switch;

  @ApiProperty({ type: String, nullable: true, example: 'session\nref_*' })
  exclude_params!: string | null;

  @ApiProperty({ type: String, nullable: true, example: '203.0.113.7' })
  exclude_ips!: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}$',
    example: '2026-01-31T12:00:00',
  })
  favorited_at!: string | null;

  @ApiProperty({ type: String, format: 'date-time', example: '2026-01-31T12:00:00.000Z' })
  created_at!: string;

  @ApiProperty({ type: String, format: 'date-time', example: '2026-01-31T12:00:00.000Z' })
  updated_at!: string;

  static of(this: void, website: Website): WebsiteView {
    return {
      id: website.id,
      domain: website.domain,
      privacy: website.privacy,
      has_password: website.passwordHash !== null,
      email: website.email,
      exclude_bots: website.excludeBots,
      exclude_params: website.excludeParams,
      exclude_ips: website.excludeIps,
      favorited_at: website.favoritedAt && dateTimeText(website.favoritedAt),
      created_at: website.createdAt.toISOString(),
      updated_at: website.updatedAt.toISOString(),
    };
  }
}

export class DeletionView {
  @ApiProperty({ type: 'integer', example: 1 })
  id!: number;

  @ApiProperty({ enum: ['website'], example: 'website' })
  object!: 'website';

  @ApiProperty({ enum: [true], example: true })
  deleted!: true;
}
