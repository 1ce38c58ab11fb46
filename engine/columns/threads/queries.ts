import type { OpenedList } from './open-lists';
import type { Lists, Piece, QuestionKind, Questions } from '../../questions/questions';

/** What threads are asked: questions, and lists, which are read with `nextPiece`. */
interface Queries extends Questions {
  whole: [Lists['whole'] & OfList, OpenedList];
  hits: [Lists['hits'] & OfList, OpenedList];
  /** Undefined at the end of the list. */
  nextPiece: [OfList, Piece | undefined];
}

interface OfList {
  /** Unique in the process. */
  readonly list: number;
}

export type QueryKind = keyof Queries;
export type RequestOf<K extends QueryKind> = Queries[K][0];
export type ResultOf<K extends QueryKind> = Queries[K][1];

/** Questions that scan hits. They may take long. */
export type ScanKind = 'hitQueries' | 'funnel' | 'journey' | 'conversions';
/** Questions with short answers. */
export type PlainKind = Exclude<QuestionKind, ScanKind>;
