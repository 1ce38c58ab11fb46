import type { Type } from '@nestjs/common';
import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { OPTIONS } from '../website-option';
import type { Website } from '../website.entity';
// Its decorators fill the options.
import './update-website.dto';
import type { UpdateWebsite } from './update-website.dto';

type Shown<V> = V extends Date ? string : V;

/** The options as shown: moments as texts, and instead of the password only whether there is one. */
type ShownOptions = { has_password: boolean } & {
  [K in Exclude<keyof UpdateWebsite, 'password'>]-?: Shown<Exclude<UpdateWebsite[K], undefined>>;
};

export const NO_REPORTS =
  'The website is stored with email 1, but this service sends no reports: SMTP_URL is not set, or REPORTS is off.';

const MOMENT = { type: String, format: 'date-time', example: '2026-01-31T12:00:00.000Z' } as const;

@ApiSchema({ description: 'A website with its options.' })
export class WebsiteView extends (class {} as Type<ShownOptions>) {
  id!: number;
  domain!: string;
  created_at!: string;
  updated_at!: string;

  static of(this: void, website: Website): WebsiteView {
    const options = OPTIONS.map(({ shownAs: { name, of } }) => [name, of(website)]);
    return {
      id: website.id,
      domain: website.domain,
      ...(Object.fromEntries(options) as ShownOptions),
      created_at: website.createdAt.toISOString(),
      updated_at: website.updatedAt.toISOString(),
    };
  }
}

const SCHEMAS = {
  id: { type: 'integer', example: 1 },
  domain: { type: String, example: 'example.com' },
  ...Object.fromEntries(OPTIONS.map(({ shown, shownAs: { name } }) => [name, shown])),
  created_at: MOMENT,
  updated_at: MOMENT,
} as const;

@ApiSchema({ description: 'A remark about a website.' })
class WebsiteWarningView {
  @ApiProperty({ enum: ['reports_not_sent'], description: 'Clients switch on it.' })
  code!: 'reports_not_sent';

  @ApiProperty({ example: NO_REPORTS })
  detail!: string;
}

@ApiSchema({ description: 'What to know about a change.' })
export class ChangeMetaView {
  @ApiProperty({ type: [WebsiteWarningView] })
  warnings!: WebsiteWarningView[];
}

/** The fields in the order in which they are shown. */
export const WEBSITE_COLUMNS = Object.keys(SCHEMAS) as (keyof WebsiteView)[];

for (const [name, schema] of Object.entries(SCHEMAS)) ApiProperty(schema)(WebsiteView.prototype, name);

@ApiSchema({ description: 'The confirmation that a website was deleted.' })
export class DeletionView {
  @ApiProperty({ type: 'integer', example: 1 })
  id!: number;

  @ApiProperty({ enum: ['website'], example: 'website' })
  object!: 'website';

  @ApiProperty({ enum: [true], example: true })
  deleted!: true;
}
