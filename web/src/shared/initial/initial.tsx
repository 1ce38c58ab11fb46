import { hueOf } from './hue';
import './initial.css';

/** The first letter of a domain, on a colour of its own. */
export function Initial({ domain }: { domain: string }) {
  return (
    <span class="initial" aria-hidden="true" style={{ '--hue': String(hueOf(domain)) }}>
      {domain.slice(0, 1).toUpperCase()}
    </span>
  );
}
