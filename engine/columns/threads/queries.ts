import type { HitsRequest, HitsVersion, HitsVersionRequest } from '../hits/hits-reading';
import type { LiveNumbers, LiveRequest } from '../live/live-numbers';
import type { PlainRequest, PlainResult, WholeRequest } from '../plain/plain-request';
import type { ConversionsRequest, ReadConversions } from '../../asking/conversions/conversions-request';
import type { FunnelCounts, FunnelRequest } from '../../questions/funnel-request';
import type { JourneyCounts, JourneyRequest } from '../../questions/journey-request';
import type { QueryRequest, QueryResult } from '../../questions/plan/hit-query';
import type { Walked } from '../../asking/walk/walk';
import type { ShownRequest, ShownResult } from '../../asking/shown/answer-for-viewers';
import type { Piece } from './open-lists';

/** The queries of threads by kind: a request and its answer, both plain data. */
interface Queries {
  hitQueries: [QueryRequest, QueryResult];
  funnel: [FunnelRequest, Walked<FunnelCounts>];
  journey: [JourneyRequest, Walked<JourneyCounts>];
  conversions: [ConversionsRequest, ReadConversions];
  plain: [PlainRequest, PlainResult];
  shown: [ShownRequest, ShownResult];
  live: [LiveRequest, LiveNumbers];
  hitsVersion: [HitsVersionRequest, HitsVersion];
  /** These open a list, which is read with `nextPiece`. */
  whole: [WholeRequest & OfList, { bytes: number }];
  hits: [HitsRequest & OfList, { bytes: number }];
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

/** Queries that scan hits. They may take long. */
export type ScanKind = 'hitQueries' | 'funnel' | 'journey' | 'conversions';
/** Queries with short answers. */
export type PlainKind = 'plain' | 'shown' | 'live' | 'hitsVersion';
/** Queries that open a list. */
export type ListKind = 'whole' | 'hits';
