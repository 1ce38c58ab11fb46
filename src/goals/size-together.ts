import { InvalidFields } from '../../engine/ground/errors';
import { MAX_JSON_BYTES_TOGETHER } from './filters-field';

/** What is stored, what was stored in its place, and all others of its kind. */
interface Stored {
  wanted: unknown;
  before: unknown;
  others: readonly unknown[];
}

/** Refuses a definition that makes all of its kind too long. What was longer before may become shorter. */
export function checkSizeTogether(
  kind: 'goals' | 'saved filters' | 'funnels',
  field: 'filters' | 'steps',
  { wanted, before, others }: Stored,
): void {
  const bytes = bytesOf(wanted);
  if (before !== undefined && bytes <= bytesOf(before)) return;
  if (others.reduce<number>((sum, other) => sum + bytesOf(other), bytes) > MAX_JSON_BYTES_TOGETHER)
    throw new InvalidFields({
      [field]: [
        `make all ${kind} of the website longer than ${MAX_JSON_BYTES_TOGETHER.toLocaleString('en')} bytes as JSON`,
      ],
    });
}

function bytesOf(json: unknown): number {
  return Buffer.byteLength(JSON.stringify(json));
}
