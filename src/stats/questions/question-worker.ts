import { parentPort, workerData } from 'node:worker_threads';
import { Logger } from '@nestjs/common';
import { setCacheBudget } from '../../common/byte-budget';
import { CallerLeft } from '../../common/gate';
import { Problem } from '../../common/problem';
import { forwardingLogger } from '../../common/thread-logger';
import { connect } from '../../database/connect';
import { Database } from '../../database/database';
import { DatabaseUnavailable } from '../../database/errors';
import { Website } from '../../websites/website.entity';
import { QuestionAnswering } from './answering';
import { Zone } from './buckets';
import { ColumnCache } from './column-cache';
import type { Answer } from './question';
import { END, type ThreadAnswer, type ThreadData, type ThreadQuestion } from './question-thread';
import type { Check } from './check';

const { address, timezone, cacheMb, threads } = workerData as ThreadData;
const port = parentPort!;

Logger.overrideLogger(forwardingLogger(port));
setCacheBudget(cacheMb);
/** A question that takes too long is ended between two pieces, not in the middle of a statement. */
const GRACE_MS = 2000;
let answering: Promise<QuestionAnswering> | undefined;

/** The entry point of a thread that answers questions; `QuestionThread` is its other side. */
port.on('message', (question: ThreadQuestion) => {
  void answerTo(question).then((answer) =>
    port.postMessage(answer, 'result' in answer ? buffersOf(answer) : []),
  );
});

async function answerTo({ request, patienceMs, end }: ThreadQuestion): Promise<ThreadAnswer> {
  try {
    answering ??= opened();
    const check = checkUntil(performance.now() + patienceMs, end);
    const own = await answering;
    const result =
      'questions' in request
        ? await own.answer(request, patienceMs + GRACE_MS, check)
        : await own.select(request, patienceMs + GRACE_MS, check);
    return { result };
  } catch (error) {
    if (error instanceof CallerLeft) return { left: true };
    if (!(error instanceof Problem)) return { failure: (error as Error).stack ?? String(error) };
    const { status, code, detail, errors, retryAfterSeconds } = error;
    return { problem: { status, code, detail, errors, retryAfterSeconds } };
  }
}

/** With connections of its own: one for a question, on a server from a pool that gives idle ones up. */
async function opened(): Promise<QuestionAnswering> {
  try {
    const ofThread = address.kind === 'mysql' ? { ...address, readers: 1, writers: 1 } : address;
    const source = await connect(ofThread, [Website], 0);
    const database = await Database.over(source);
    return new QuestionAnswering(database, new ColumnCache(threads), new Zone(timezone));
  } catch (error) {
    answering = undefined;
    throw new DatabaseUnavailable(error);
  }
}

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

function checkUntil(deadline: number, end: Int32Array): Check {
  return () => {
    const reason = Atomics.load(end, 0);
    if (reason === END.callerLeft) throw new CallerLeft();
    if (reason === END.othersWait || performance.now() > deadline) throw new QuestionTooLong();
  };
}

/** They go to the other thread without a copy. */
function buffersOf({ result }: Extract<ThreadAnswer, { result: unknown }>): ArrayBuffer[] {
  if ('selected' in result) return [result.selected.buffer as ArrayBuffer];
  const arrays = result.answers.flatMap(({ rows: { dimensions, metrics, previous } }: Answer) => [
    ...dimensions.flatMap(({ bytes, ends, isSet }) => [bytes, ends, isSet]),
    ...metrics,
    ...previous,
  ]);
  return arrays.map(({ buffer }) => buffer as ArrayBuffer);
}
