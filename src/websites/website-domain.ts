import { applyDecorators } from '@nestjs/common';
import { parse } from 'tldts';
import { NotAllowed } from '../validation/fields';
import { IsText } from '../validation/rules';
import { parsed, ReadAs } from '../validation/transforms';
import { normaliseDomain } from './domain';

/** A domain that can be registered; whether a local name can be depends on the settings. */
export const IsWebsiteDomain = () =>
  applyDecorators(
    ReadAs((sent) => parsed(normaliseDomain, sent)),
    IsText('isWebsiteDomain', (text) => {
      if (isPublicSuffix(normaliseDomain(text)))
        throw new NotAllowed('must not be a public suffix, under which anyone can register domains');
    }),
  );

/** Like `com.au` or `github.io`. */
function isPublicSuffix(domain: string): boolean {
  const { publicSuffix, isIcann, isPrivate } = parse(domain, { allowPrivateDomains: true });
  return publicSuffix === domain && Boolean(isIcann || isPrivate);
}
