import { encodeHits } from '../storage/hit';
import type { InboxPiece } from './piece-writer';

/**
 * Takes the visitor from hits of days whose unique keys are removed already: they waited too long behind a fault, and
 * whether their visitors were counted cannot be told any more.
 */
export function withoutForgottenVisitors<P extends InboxPiece>(pieces: P[], seenFrom: number): P[] {
  return pieces.map((piece) => {
    if (piece.hits.every(({ day }) => day >= seenFrom)) return piece;
    const hits = piece.hits.map((hit) => (hit.day < seenFrom ? { ...hit, visitor: '' } : hit));
    return { ...piece, hits, encoded: encodeHits(hits) };
  });
}
