import type { ApiKey } from '../auth/api-key.entity';
import { InvalidFields } from '../../engine/ground/errors';
import { NotAllowed } from '../../engine/ground/errors';
import { positiveInteger } from '../validation/parsers';
import { normaliseDomain } from '../websites/domain';
import { websiteIdFor } from '../websites/website-id';
import type { WebsitesService } from '../websites/websites.service';

/** The id of a website that an agent names by id or domain. */
export async function websiteNamed(websites: WebsitesService, key: ApiKey, sent: unknown): Promise<number> {
  const text = typeof sent === 'string' || typeof sent === 'number' ? String(sent) : '';
  if (positiveInteger(text) !== undefined) return websiteIdFor(key, text);
  return websiteIdFor(key, await websites.idOf(key.userId, domainOf(text)));
}

function domainOf(text: string): string {
  try {
    return normaliseDomain(text);
  } catch (error) {
    if (!(error instanceof NotAllowed)) throw error;
    throw new InvalidFields({ website_id: ['must be the id or the domain of a website'] });
  }
}
