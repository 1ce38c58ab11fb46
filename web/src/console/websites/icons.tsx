import { texts } from '../../shared/texts';
import type { Website } from '../client';

export function DotsIcon() {
  return (
    <svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
      <path d="M3 8h.01M8 8h.01M13 8h.01" />
    </svg>
  );
}

/** The globe of a public website, and the lock of one with a password. Most are private, and need no mark. */
const PATHS: Partial<Record<Website['privacy'], string>> = {
  0: 'M8 1.8a6.2 6.2 0 1 0 0 12.4A6.2 6.2 0 1 0 8 1.8ZM1.8 8h12.4M8 1.8c2.2 2 2.2 10.4 0 12.4M8 1.8c-2.2 2-2.2 10.4 0 12.4',
  2: 'M3.5 7.2h9v6.3h-9ZM5.4 7.2V5a2.6 2.6 0 0 1 5.2 0v2.2',
};

export function PrivacyIcon({ privacy }: Pick<Website, 'privacy'>) {
  const path = PATHS[privacy];
  const label = texts.console.privacies[privacy];
  if (path === undefined) return <span class="hidden">{label}</span>;
  return (
    <svg class="icon privacy-icon" viewBox="0 0 16 16" width="15" height="15" role="img" aria-label={label}>
      <title>{label}</title>
      <path d={path} />
    </svg>
  );
}
