import type { ConversionsRequest, ReadConversions } from './conversions-request';
import type { FunnelCounts, FunnelRequest } from './funnel-request';
import type { HitsRequest, HitsVersion, HitsVersionRequest } from './hits-request';
import type { JourneyCounts, JourneyRequest } from './journey-request';
import type { LiveNumbers, LiveRequest } from './live-numbers';
import type { PlainRequest, PlainResult, WholeRequest } from './plain-request';
import type { QueryRequest, QueryResult } from './plan/hit-query';
import type { ShownRequest, ShownResult } from './viewers/answer-for-viewers';
import type { Walked } from './walk-request';

/** The questions by kind: a request and its answer, both plain data. */
export interface Questions {
  /** These scan hits, and may take long. */
  hitQueries: [QueryRequest, QueryResult];
  funnel: [FunnelRequest, Walked<FunnelCounts>];
  journey: [JourneyRequest, Walked<JourneyCounts>];
  conversions: [ConversionsRequest, ReadConversions];
  /** These have short answers. */
  plain: [PlainRequest, PlainResult];
  shown: [ShownRequest, ShownResult];
  live: [LiveRequest, LiveNumbers];
  hitsVersion: [HitsVersionRequest, HitsVersion];
}
export type QuestionKind = keyof Questions;

/** Answers of any length, which are read in pieces. */
export interface Lists {
  whole: WholeRequest;
  hits: HitsRequest;
}
export type ListKind = keyof Lists;
export type Piece = readonly object[] | Uint8Array;
