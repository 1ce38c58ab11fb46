import { TooManyRequests } from '../../common/problem';

const FIRST_PAUSE_MS = 2000;
const LONGEST_PAUSE_MS = 300_000;
/** After so long without another question that took too long, pauses begin with the first one again. */
const FORGOTTEN_AFTER_MS = 600_000;
const TOOK_TOO_LONG = 'Earlier questions from this address about this website took too long.';
const MAX_KNOWN = 10_000;

interface Pause {
  ms: number;
  endsAt: number;
}

/** Ever longer pauses for those whose questions about a website take too long. */
export class ViewersPauses {
  /** The one that was added to last stands last. */
  private readonly known = new Map<string, Pause>();

  constructor(private readonly now = () => performance.now()) {}

  get size(): number {
    return this.known.size;
  }

  /** Refuses who has to pause. */
  expectNone(asking: string): void {
    const { endsAt = 0 } = this.known.get(asking) ?? {};
    const leftMs = endsAt - this.now();
    if (leftMs > 0) throw new TooManyRequests(TOOK_TOO_LONG, Math.ceil(leftMs / 1000));
  }

  add(asking: string): void {
    const now = this.now();
    const last = this.known.get(asking);
    const isForgotten = !last || now - last.endsAt > FORGOTTEN_AFTER_MS;
    const ms = isForgotten ? FIRST_PAUSE_MS : Math.min(2 * last.ms, LONGEST_PAUSE_MS);
    this.known.delete(asking);
    this.known.set(asking, { ms, endsAt: now + ms });
    if (this.known.size > MAX_KNOWN) this.known.delete(this.known.keys().next().value!);
  }
}
