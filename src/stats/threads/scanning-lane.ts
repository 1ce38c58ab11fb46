import type { Reader } from '../../database/database';
import { QuestionAnswering } from '../questions/answering';
import { Zone } from '../questions/buckets';
import { ColumnCache } from '../questions/column-cache';
import type { Portion, PortionResult } from '../questions/portions';
import { type ThreadMemory, WorkingMemory } from '../questions/working-memory';
import type { Handlers, Lane } from './lane';
import type { ScanKind } from './queries';
import type { Turn } from '../questions/check';

/** Answers what scans hits, one query at a time. */
export class ScanningLane implements Lane<ScanKind> {
  readonly handlers: Handlers<ScanKind>;
  private readonly questions: QuestionAnswering;

  constructor(reader: Reader, timezone: string, ofThread: ThreadMemory) {
    const memory = new WorkingMemory(ofThread);
    const cache = new ColumnCache(1, memory.takeForTexts);
    const questions = new QuestionAnswering(reader, cache, new Zone(timezone), undefined, memory);
    this.questions = questions;
    this.handlers = {
      questions: (request, { patienceMs, check }, sharing) =>
        questions.answer(request, patienceMs, check, sharing),
      selection: (request, { patienceMs, check }) => questions.select(request, patienceMs, check),
    };
  }

  /** Scans a portion for another thread; undefined where that has to do it itself. */
  scan(portion: Portion, { patienceMs, check }: Turn): Promise<PortionResult | undefined> {
    return this.questions.scan(portion, patienceMs, check);
  }
}
