import { shownDomain } from '../../../../engine/ground/shown-domain';
import { hueOf } from './hue';
import './initial.css';

/** The first letter of a domain, on a colour of its own. */
export function Initial({ domain }: { domain: string }) {
  return (
    <span class="initial" aria-hidden="true" style={{ '--hue': String(hueOf(domain)) }}>
      {firstOf(shownDomain(domain)).toUpperCase()}
    </span>
  );
}

/** The first letter, of one or two code units. */
const firstOf = (text: string) => Array.from(text)[0] ?? '';
