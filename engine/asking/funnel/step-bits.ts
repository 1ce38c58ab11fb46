import type { BlockView } from '../select/block-view';
import type { Matches } from '../select/matching-rows';
import { clearZeros, setBit } from '../select/row-masks';

/** The steps that each hit can be. Only hits that pass all further lists can be one. */
export function stepBits(view: BlockView, steps: Matches[], further: Matches[]): Uint8Array {
  const { hits } = view.block;
  const bits = view.bytesFor(hits);
  for (const [step, { visitors, hits: list }] of steps.entries()) {
    if (list) setBit(bits, list, step);
    else setAll(bits, step);
    if (visitors) clearOthers(view, bits, visitors, 1 << step);
  }
  for (const { visitors, hits: list } of further) {
    if (list) clearZeros(bits, list);
    if (visitors) clearOthers(view, bits, visitors, ~0);
  }
  return bits;
}

function setAll(bits: Uint8Array, step: number): void {
  for (let hit = 0; hit < bits.length; hit++) bits[hit]! |= 1 << step;
}

/** Clears some bits of the hits of visitors with a zero. */
function clearOthers({ block }: BlockView, bits: Uint8Array, visitors: Uint8Array, cleared: number): void {
  const { begins } = block;
  for (let visitor = 0; visitor < visitors.length; visitor++)
    if (visitors[visitor] === 0)
      for (let hit = begins[visitor]!, end = begins[visitor + 1]!; hit < end; hit++) bits[hit]! &= ~cleared;
}
