import { Problem } from '../../common/problem';

/** What is stored of rollups cannot be trusted. It is never read around: a sum without it would be wrong. */
export abstract class DamagedRollups extends Problem {
  constructor(what: string) {
    super(500, 'damaged_segment', `${what} "stats rebuild" counts them again.`);
  }
}
