import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { IsText, Required } from '../../validation/rules';
import { OPTIONS } from '../website-option';
import { UpdateWebsite } from './update-website.dto';
import { applyDecorators } from '@nestjs/common';
import { parse } from 'tldts';
import { NotAllowed } from '../../../engine/ground/errors';
import { parsed, ReadAs } from '../../validation/transforms';
import { normaliseDomain } from '../domain';

/** A registrable domain. Whether local names are allowed depends on the settings. */
export const IsWebsiteDomain = () =>
  applyDecorators(
    ReadAs((sent) => parsed(normaliseDomain, sent)),
    IsText('isWebsiteDomain', (text) => {
      if (isPublicSuffix(normaliseDomain(text)))
        throw new NotAllowed('must not be a public suffix, under which anyone can register domains');
    }),
  );

/** For example `com.au` or `github.io`. */
function isPublicSuffix(domain: string): boolean {
  const { publicSuffix, isIcann, isPrivate } = parse(domain, { allowPrivateDomains: true });
  return publicSuffix === domain && Boolean(isIcann || isPrivate);
}

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

for (const { name, sent, initial } of OPTIONS)
  if (initial !== null)
    ApiProperty({ ...sent, required: false, default: initial } as ApiPropertyOptions)(
      StoreWebsite.prototype,
      name,
    );
