/** A list that is read in pieces. */
export interface ListInPieces {
  /** About what it keeps in memory until its end. */
  readonly bytes: number;
  readonly pieces: AsyncIterator<Piece>;
}

/** Entries, or bytes of a file; it may be empty. */
export type Piece = readonly object[] | Uint8Array;

/** A list is gone where its thread was started anew. */
class ListClosed extends Error {}

/** The lists of a thread that are being read. */
export class OpenLists {
  private readonly lists = new Map<number, AsyncIterator<Piece>>();

  open(list: number, { bytes, pieces }: ListInPieces): { bytes: number } {
    this.lists.set(list, pieces);
    return { bytes };
  }

  /** Undefined at its end. */
  async next(list: number): Promise<Piece | undefined> {
    const pieces = this.lists.get(list);
    if (!pieces) throw new ListClosed(`List ${list} is not open`);
    const { done, value } = (await pieces.next()) as IteratorResult<Piece, undefined>;
    return done ? undefined : value;
  }

  close(list: number): void {
    this.lists.delete(list);
  }
}
