import type { Bounds } from '../shared/ranges';
import { Shortcuts } from './shortcuts';
import { texts } from '../shared/texts';

interface Props {
  address: URLSearchParams;
  bounds: Bounds;
  timezone: string;
  isEmbedded: boolean;
  attributesGeography: boolean;
}

/** The licence of DB-IP's data requires the link wherever places are shown. */
export function Footer({ address, bounds, timezone, isEmbedded, attributesGeography }: Props) {
  return (
    <footer class="quiet">
      <p>
        {texts.footer.days(timezone)} <Shortcuts address={address} bounds={bounds} />
      </p>
      <p>
        {attributesGeography && (
          <>
            <a href="https://db-ip.com" target="_blank" rel="noopener">
              {texts.footer.geography}
            </a>
            {!isEmbedded && ' · '}
          </>
        )}
        {!isEmbedded && texts.footer.made}
      </p>
    </footer>
  );
}
