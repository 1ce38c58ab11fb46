import { CallerLeft } from '../../common/gate';
import { Problem } from '../../common/problem';
import type { Turn } from '../questions/answer/check';
import { END } from './thread-messages';

/** A query that takes too long is ended between two steps, not in the middle of a statement. */
const GRACE_MS = 2000;

class QuestionTooLong extends Problem {
  constructor() {
    super(
      503,
      'question_too_long',
      'The question takes too long. What was read for it is partly kept: ask again, or for fewer days.',
      { retryAfterSeconds: 2 },
    );
  }
}

/** A turn that ends at a deadline, or once a number that the caller shares is not zero. */
export class TurnUntil implements Turn {
  constructor(
    private readonly deadline: number,
    private readonly end: Int32Array,
  ) {}

  get patienceMs(): number {
    return this.deadline + GRACE_MS - performance.now();
  }

  readonly check = (): void => {
    const reason = Atomics.load(this.end, 0);
    if (reason === END.callerLeft) throw new CallerLeft();
    if (reason === END.othersWait || performance.now() > this.deadline) throw new QuestionTooLong();
  };
}
