import type { BlockView } from '../../select/block-view';
import type { Groups } from '../groups';

/**
 * The dimension of goals while the hits of one goal are counted: all of them have its code. Its lists are valid until
 * those of the next goal are used.
 */
export class OneCode {
  constructor(
    private readonly code: number,
    private readonly size: number,
    private readonly view: BlockView,
  ) {}

  ofHits(): Groups {
    const { code, size, view } = this;
    let codes: Uint32Array | undefined;
    const { visitors } = view.block;
    return {
      level: 'visitor',
      get codes() {
        const list = view.once('one code', () => view.numbers(visitors));
        return (codes ??= list.fill(code));
      },
      own: { rows: view.noCodes, codeOf: Uint32Array.of(code) },
      size,
    };
  }

  ofVisits(): Groups {
    return this.ofHits();
  }

  acquisition(): undefined {
    return undefined;
  }
}
