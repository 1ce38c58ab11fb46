import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { Required } from '../../validation/rules';
import { OPTIONS } from '../options';
import { IsWebsiteDomain } from '../website-domain';
import { UpdateWebsite } from './update-website.dto';

export class StoreWebsite extends UpdateWebsite {
  @Required()
  @IsWebsiteDomain()
  @ApiProperty({
    type: String,
    example: 'example.com',
    description:
      'Unique in the service. Case and a leading www. are ignored. It cannot be changed later. Public suffixes and subdomains of websites of other users are refused.',
  })
  domain!: string;
}

/** A `default` in the schema would make generated clients require the field. */
for (const { name, sent, initial } of OPTIONS)
  if (initial !== null) {
    const description = `${(sent as { description: string }).description} ${String(initial)} where it is absent.`;
    ApiProperty({ ...sent, required: false, description } as ApiPropertyOptions)(
      StoreWebsite.prototype,
      name,
    );
  }
