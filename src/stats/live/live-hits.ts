import { FIELD_PLACES, type Hit } from '../../storage/hit';
import type { HitRows } from '../../storage/hit-rows';

/** What is looked at of a hit. */
export type LiveHit = Pick<Hit, 'at' | 'visitor' | 'event' | 'page' | 'referrer' | 'country'>;

const { visitor, event, page, referrer, country } = FIELD_PLACES;

/** One row after the other. Texts are made of what is asked for. */
class LiveRow implements LiveHit {
  row = 0;

  constructor(private readonly rows: HitRows) {}

  get at(): number {
    return this.rows.at(this.row);
  }

  get visitor(): string {
    return this.textOf(visitor);
  }

  get event(): string | null {
    return this.rows.text(this.row, event);
  }

  get page(): string {
    return this.textOf(page);
  }

  get referrer(): string | null {
    return this.rows.text(this.row, referrer);
  }

  get country(): string {
    return this.textOf(country);
  }

  private textOf(place: number): string {
    return this.rows.text(this.row, place) ?? '';
  }
}

/** The hits from a row to before another one; each is gone once the next one is asked for. */
export function* liveHits(rows: HitRows, from: number, before: number): Generator<LiveHit> {
  const hit = new LiveRow(rows);
  for (hit.row = from; hit.row < before; hit.row++) yield hit;
}
