import type { components, operations } from './openapi.ts';

type Operation = keyof operations;
type Content<R> = R extends { content: { 'application/json': infer B } } ? B : never;
type Success = 200 | 201 | 202;

/** The answer of an operation of the API, with its ETag if it has one. */
export type Answer<O extends Operation> = Content<
  operations[O]['responses'][keyof operations[O]['responses'] & Success]
> & { etag?: string };

export type Query<O extends Operation> = operations[O]['parameters'] extends { query?: infer Q }
  ? NonNullable<Q>
  : never;

export type Schemas = components['schemas'];
export type Website = Schemas['Website'];
export type Goal = Schemas['Goal'];
export type SavedFilter = Schemas['SavedFilter'];
export type Funnel = Schemas['Funnel'];
export type Annotation = Schemas['Annotation'];
export type Exclusion = Schemas['Exclusion'];
export type Alert = Schemas['Alert'];
export type Webhook = Schemas['Webhook'];
export type Delivery = Schemas['Delivery'];
export type StatEntry = Schemas['StatEntry'];
export type EventVerdict = Schemas['EventVerdict'];
export type HitQuery = Schemas['HitQuery'];
export type QueryAnswer = Schemas['QueryAnswer'];
type Metric = HitQuery['metrics'][number];
type Dimension = NonNullable<HitQuery['dimensions']>[number];
/** What the ratios are made of. A row has the parts too. */
interface Parts {
  bounce_rate: 'bounces' | 'visits';
  visit_duration: 'seconds' | 'visits';
  views_per_visit: 'pageviews' | 'visits';
  conversion_rate: 'converters' | 'all_visitors';
}
type WithParts<M extends Metric> = M | (M extends keyof Parts ? Parts[M] : never);
/** Rates and durations of nothing are null, as a value over several currencies; values are decimal texts. */
type Counted<M extends Metric> = { [K in WithParts<M>]: K extends 'value' ? string | null : number | null };

/** A row of the answer to a query. */
export type QueryRow<Q extends HitQuery> = Counted<Q['metrics'][number]> &
  ('compare' extends keyof Q ? { previous: Counted<Q['metrics'][number]> } : unknown) & {
    [K in Q extends { dimensions: readonly (infer D extends Dimension)[] } ? D : never]: string | null;
  };

/** The answer to a query, with rows of what it asks for, if its type says that. */
export type AnswerTo<Q extends HitQuery> = HitQuery extends Q
  ? QueryAnswer
  : Omit<QueryAnswer, 'data'> & { data: QueryRow<Q>[] };
export type Hit = Schemas['Hit'];
export type StatName = Query<'getStats'>['name'];
export type ServerEvent = Schemas['ServerEvent'];
export type PageEvent = Schemas['BrowserEvent'];
