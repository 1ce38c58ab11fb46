import type { Turn } from '../questions/answer/check';
import type { QueryKind, RequestOf, ResultOf } from './queries';

/** How the queries of some kinds are answered. */
export type Handlers<Kinds extends QueryKind> = {
  readonly [K in Kinds]: (request: RequestOf<K>, turn: Turn) => ResultOf<K> | Promise<ResultOf<K>>;
};

/** What a thread needs to answer queries of one lane, and keeps for the next ones. */
export interface Lane<Kinds extends QueryKind> {
  readonly handlers: Handlers<Kinds>;
}
