import { inChunks, insertRows, type Queryable, type Transaction } from '../../database/rows';
import { EVENT_ID_COLUMNS, eventKeyAt, keyOfText, textOfKey } from '../../hits/events/event-key';
import type { Hit } from '../../hits/hit';
import type { InboxRow } from './inbox-reader';

const KEYS_PER_QUERY = 500;
const KEYS_PER_INSERTION = 2000;
/** Browser ids need no batch, because only the holder of the website's lease inserts them. */
const NO_BATCH = Buffer.alloc(0);
/** From the last known id on: where one browser repeats an id, it and others may do so again. */
const FOLDS_WITH_LOOK_UP = 100;

/**
 * The ids of browsers. They are claimed in the fold and not before the response, because a browser is never told about
 * a duplicate. Nearly all are new, so a fold inserts them without a look-up. If one exists already, the fold is rolled
 * back, and it and the next folds look up their ids first.
 */
export class BrowserIds {
  private foldsWithLookUp = 0;
  private known = new Set<string>();
  /** When each was accepted, by the text of its key. */
  private added = new Map<string, number>();

  constructor(private readonly websiteId: number) {}

  get areLookedUp(): boolean {
    return this.foldsWithLookUp > 0;
  }

  /** Call it when an id exists already. */
  lookUpFromNowOn(): void {
    this.foldsWithLookUp = FOLDS_WITH_LOOK_UP;
  }

  /** Begins a fold of these rows, and looks up their ids if it has to. */
  async begin(reader: Queryable, rows: readonly InboxRow[]): Promise<void> {
    this.clear();
    if (!this.areLookedUp) return;
    for (const keys of inChunks([...keysIn(rows)], KEYS_PER_QUERY)) {
      const found = await reader.query<{ event_id: Buffer }[]>(
        `SELECT event_id FROM event_ids WHERE website_id = ? AND event_id IN (${keys.map(() => '?').join(', ')})`,
        [this.websiteId, ...keys.map(keyOfText)],
      );
      for (const { event_id } of found) this.known.add(textOfKey(event_id));
    }
    if (this.known.size > 0) this.lookUpFromNowOn();
  }

  /** Call it after the commit. */
  remember(): void {
    this.clear();
    if (this.areLookedUp) this.foldsWithLookUp--;
  }

  /** Leaves out hits with an id that is known or was in the fold before. Claims the ids of the others. */
  withoutDuplicates({ eventKeys, acceptedAt }: InboxRow, hits: Hit[]): Hit[] {
    if (!eventKeys) return hits;
    return hits.filter((_, index) => {
      const key = eventKeyAt(eventKeys, index);
      return !key || this.claims(key, acceptedAt);
    });
  }

  /** Inserts the claimed ids. Call it in the fold's transaction. */
  async insert(manager: Transaction): Promise<void> {
    // Ids with a time are nearly sorted, and sorting all would block the event loop.
    for (const ids of inChunks([...this.added], KEYS_PER_INSERTION)) {
      ids.sort(([one], [other]) => (one < other ? -1 : 1));
      const rows = ids.map(([key, acceptedAt]) => [this.websiteId, keyOfText(key), NO_BATCH, acceptedAt]);
      await insertRows(manager, 'event_ids', EVENT_ID_COLUMNS, rows);
    }
  }

  /** New ones: V8 moves a map that lasts, and all that it grows by, to where garbage is collected rarely. */
  private clear(): void {
    this.known = new Set();
    this.added = new Map();
  }

  private claims(key: string, acceptedAt: number): boolean {
    if (this.known.has(key) || this.added.has(key)) return false;
    this.added.set(key, acceptedAt);
    return true;
  }
}

function* keysIn(rows: readonly InboxRow[]): Generator<string> {
  for (const { size, eventKeys } of rows)
    for (let index = 0; eventKeys && index < size; index++) {
      const key = eventKeyAt(eventKeys, index);
      if (key) yield key;
    }
}
