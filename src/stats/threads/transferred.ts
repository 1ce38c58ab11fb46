import type { Transferable } from 'node:worker_threads';
import { arraysOfList } from '../../common/text-list';
import type { QuestionResult } from '../questions/question';
import type { QueryKind, ResultOf } from './queries';

/** What of a result goes to the other thread without a copy. */
export function buffersOf(result: ResultOf<QueryKind>): Transferable[] {
  if (result instanceof Uint8Array) return buffers([result]);
  if (result === undefined || Array.isArray(result)) return [];
  if ('selected' in result) return buffers([result.selected]);
  return 'answers' in result ? buffers(arraysOf(result)) : [];
}

function buffers(arrays: ArrayBufferView[]): Transferable[] {
  return arrays.map(({ buffer }) => buffer as ArrayBuffer);
}

function arraysOf({ answers }: QuestionResult): ArrayBufferView[] {
  return answers.flatMap(({ rows: { dimensions, metrics, previous } }) => [
    ...dimensions.flatMap(arraysOfList),
    ...metrics,
    ...previous,
  ]);
}
