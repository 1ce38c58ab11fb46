import { kindFor } from '../../../../storage/encoding/code-list';
import type { BlockView } from '../../select/block-view';
import type { Groups } from '../groups';

/** The dimension of goals while the hits of one goal are counted: all of them have its code. */
export class OneCode {
  constructor(
    private readonly code: number,
    private readonly size: number,
    private readonly view: BlockView,
  ) {}

  ofHits(): Groups {
    const { code, size, view } = this;
    const { visitors } = view.block;
    return {
      level: 'visitor',
      get codes() {
        return new (kindFor(code))(visitors).fill(code);
      },
      own: { rows: view.once('no codes', () => new Uint8Array(visitors)), codeOf: Uint32Array.of(code) },
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
