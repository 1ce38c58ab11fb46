import { texts } from '../../shared/texts';
import type { Website } from '../client';

export function GearIcon() {
  return (
    <svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
      <path d="M6.8 3.1L7 1.4L9 1.4L9.2 3.1L10.6 3.6L11.9 2.6L13.4 4.1L12.4 5.4L12.9 6.8L14.6 7L14.6 9L12.9 9.2L12.4 10.6L13.4 11.9L11.9 13.4L10.6 12.4L9.2 12.9L9 14.6L7 14.6L6.8 12.9L5.4 12.4L4.1 13.4L2.6 11.9L3.6 10.6L3.1 9.2L1.4 9L1.4 7L3.1 6.8L3.6 5.4L2.6 4.1L4.1 2.6L5.4 3.6Z" />
      <circle cx="8" cy="8" r="2.2" />
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
