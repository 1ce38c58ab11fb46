import { Problem } from '../../ground/errors';
import type { TimeLimit } from '../../ground/deadline-check';
import { type Piece } from '../../questions/questions';

/** A list that is read in pieces. */
export interface ListInPieces {
  /** Its approximate memory until it ends. */
  readonly bytes: number;
  /** Tells whether a remote home is asked for pieces. */
  readonly asksHome?: boolean;
  readonly pieces: AsyncIterator<Piece>;
}

export type OpenedList = Required<Pick<ListInPieces, 'bytes' | 'asksHome'>>;

/** A list ends when its thread is restarted, or when nobody has read it for long. */
class ListEnded extends Problem {
  constructor() {
    super('overloaded', 'The export ended before it was read completely. Try again.', {
      retryAfterSeconds: 2,
    });
  }
}

/** The limit of the current piece. */
class LimitOfPiece implements TimeLimit {
  constructor(private current: TimeLimit) {}

  get patienceMs(): number {
    return this.current.patienceMs;
  }

  begin(limit: TimeLimit): void {
    this.current = limit;
  }

  readonly check = (): void => this.current.check();
}

interface OpenList {
  readonly pieces: AsyncIterator<Piece>;
  readonly limit: LimitOfPiece;
  timer: NodeJS.Timeout | undefined;
}

/** A slow client may take minutes for a piece. Meanwhile `ReadMemory` counts its list. */
const MAX_IDLE_MS = 300_000;

/** The open lists of a thread. */
export class OpenLists {
  private readonly lists = new Map<number, OpenList>();

  /**
   * Each piece has a limit of its own. A list is created with the limit of its current piece, and of the query that opens
   * it.
   */
  async open(
    list: number,
    limit: TimeLimit,
    made: (limit: TimeLimit) => ListInPieces | Promise<ListInPieces>,
  ): Promise<OpenedList> {
    const own = new LimitOfPiece(limit);
    const { bytes, asksHome = false, pieces } = await made(own);
    this.lists.set(list, { pieces, limit: own, timer: this.timerOf(list) });
    return { bytes, asksHome };
  }

  /** Undefined at its end. */
  async next(list: number, limit: TimeLimit): Promise<Piece | undefined> {
    const open = this.lists.get(list);
    if (!open) throw new ListEnded();
    clearTimeout(open.timer);
    open.limit.begin(limit);
    try {
      limit.check();
      const { done, value } = (await open.pieces.next()) as IteratorResult<Piece, undefined>;
      if (done) this.close(list);
      else if (this.lists.has(list)) open.timer = this.timerOf(list);
      return done ? undefined : value;
    } catch (error) {
      this.close(list);
      throw error;
    }
  }

  /** Frees its memory at the end of the current piece. */
  close(list: number): void {
    const open = this.lists.get(list);
    if (!open) return;
    this.lists.delete(list);
    clearTimeout(open.timer);
    open.pieces.return?.().catch(() => undefined);
  }

  private timerOf(list: number): NodeJS.Timeout {
    return setTimeout(() => this.close(list), MAX_IDLE_MS).unref();
  }
}
