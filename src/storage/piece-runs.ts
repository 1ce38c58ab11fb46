import { MAX_PIECE_BYTES, type PieceSpan } from './pieces';

/** A piece that holds so much stays as it is. */
export const FULL_BYTES = MAX_PIECE_BYTES / 2;
/** Pieces are put together once there are so many of about the same size. */
const PIECES_OF_A_TIER = 8;
/** A hit is moved about once in each tier. */
const TIERS = [FULL_BYTES / 512, FULL_BYTES / 64, FULL_BYTES / 8, FULL_BYTES];

/** Without the first pieces, which need not be known to tell what is to be put together from now on. */
export function unsettled(pieces: PieceSpan[]): PieceSpan[] {
  const closed = closedRun(pieces);
  return closed ? pieces.slice(pieces.indexOf(closed[0]!)) : endingRun(pieces, FULL_BYTES);
}

/**
 * The pieces of a day that have to become one, if any. So there are never more than 32 small pieces behind the last full
 * one, and before it no two of them stand together.
 */
export function dueRun(pieces: PieceSpan[]): PieceSpan[] | undefined {
  const run = closedRun(pieces) ?? endingDueRun(pieces);
  return run && firstOf(run);
}

/** The smallest pieces at the end, where they are too many. */
function endingDueRun(pieces: PieceSpan[]): PieceSpan[] | undefined {
  return TIERS.map((bytes) => endingRun(pieces, bytes)).find(
    ({ length }, tier) => length >= PIECES_OF_A_TIER * (tier + 1),
  );
}

function endingRun(pieces: PieceSpan[], belowBytes: number): PieceSpan[] {
  return pieces.slice(pieces.findLastIndex(({ bytes }) => bytes >= belowBytes) + 1);
}

/** Several small pieces before a full one. */
function closedRun(pieces: PieceSpan[]): PieceSpan[] | undefined {
  let run: PieceSpan[] = [];
  for (const piece of pieces) {
    if (piece.bytes < FULL_BYTES) run.push(piece);
    else if (run.length > 1) return run;
    else run = [];
  }
  return undefined;
}

/** As many as fit into one, which are two at least. */
function firstOf(run: PieceSpan[]): PieceSpan[] {
  let bytes = 0;
  const end = run.findIndex((piece) => (bytes += piece.bytes) > MAX_PIECE_BYTES);
  return end < 0 ? run : run.slice(0, end);
}
