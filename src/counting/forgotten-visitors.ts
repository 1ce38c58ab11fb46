import type { InboxPiece } from './batch-writer';

/**
 * Removes the visitor from hits of days whose unique keys are deleted: the hits waited too long behind an error, and
 * whether their visitors were counted is unknown.
 */
export function withoutForgottenVisitors<P extends InboxPiece>(pieces: P[], seenFrom: number): P[] {
  return pieces.map((piece) => {
    if (piece.hits.every(({ day }) => day >= seenFrom)) return piece;
    const hits = piece.hits.map((hit) => (hit.day < seenFrom ? { ...hit, visitor: '' } : hit));
    return { ...piece, hits };
  });
}
