import type { Reader } from '../../database/database';
import { QuestionAnswering } from '../questions/answer/answering';
import { Zone } from '../questions/plan/buckets';
import { ColumnCache } from '../questions/read/column-cache';
import { type ThreadMemory, WorkingMemory } from '../questions/answer/working-memory';
import type { Handlers, Lane } from './lane';
import type { ScanKind } from './queries';

/** Answers what scans hits, one query at a time. */
export class ScanningLane implements Lane<ScanKind> {
  readonly handlers: Handlers<ScanKind>;

  constructor(reader: Reader, timezone: string, ofThread: ThreadMemory) {
    const memory = new WorkingMemory(ofThread);
    const cache = new ColumnCache(1, memory.takeForTexts);
    const questions = new QuestionAnswering(reader, cache, new Zone(timezone), memory);
    this.handlers = {
      questions: (request, { patienceMs, check }) => questions.answer(request, patienceMs, check),
      selection: (request, { patienceMs, check }) => questions.select(request, patienceMs, check),
    };
  }
}
