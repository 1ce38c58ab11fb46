import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../../engine/ground/gate';
import { expectFewConditions, expectPossible } from '../../../goals/funnels/resolved-steps';
import type { FunnelAnswerView, FunnelMetaView, FunnelQueryView } from '../../dto/funnel.view';
import { knownTo } from '../../viewers/known-to';
import { checkWalk } from '../../viewers/viewer-limits';
import { askerOf, pageFiltersOf, type Viewer } from '../../viewers/viewer';
import { type SentFilters, WebsiteFilters } from '../../website-filters';
import { filterOf } from '../../../../engine/questions/parse/filter';
import { checkLength, wordedRange } from '../../../../engine/questions/parse/query-range';
import { QueriesRepository } from '../queries.repository';
import { WalkQuestions } from '../walk/walk-questions';
import { funnelViewOf } from './funnel-answer';
import { type FunnelRequest, scopeOfFunnel } from '../../../../engine/questions/funnel-request';
import { type FunnelDefinition, StoredFunnels } from './stored-funnels';

/** Counts the visitors who take the steps of a funnel. */
@Injectable()
export class FunnelQueriesService {
  constructor(
    private readonly queries: QueriesRepository,
    private readonly questions: WalkQuestions,
    private readonly funnels: StoredFunnels,
    private readonly filters: WebsiteFilters,
  ) {}

  async answer(
    viewer: Viewer,
    websiteId: number,
    asked: FunnelQueryView,
    caller: Caller,
  ): Promise<FunnelAnswerView> {
    const { range, filters = [], steps = [], breakdown, compare } = asked;
    const field = asked.funnel === undefined ? 'steps' : 'funnel';
    const ofSteps = steps.map((step) => step.filters);
    checkWalk(viewer, field, { range, filters, breakdown, steps: ofSteps });
    const funnel = await this.funnels.of(viewer, websiteId, asked);
    const compiled = await this.compiled(viewer, websiteId, asked, funnel);
    const spans = await this.questions.spansOf(websiteId, asked, compare);
    const { order, within } = funnel;
    const asSent = { asker: askerOf(viewer), websiteId, order, within, breakdown, field } as const;
    const request: FunnelRequest = { ...asSent, ...spans, ...compiled };
    const scope = scopeOfFunnel(request);
    if (breakdown) checkLength({ ...scope, dimensions: [breakdown], fill: false }, '');
    const walked = await this.queries.funnel(request, caller);
    const meta = {
      ...(await this.questions.metaOf(
        websiteId,
        asked,
        knownTo(viewer, scope, [...filters, ...ofSteps.flat()]),
        walked,
      )),
      ...metaOf(viewer, asked, funnel),
      ...(spans.previous && { compare: compare!, previous_range: wordedRange(spans.previous) }),
    };
    return { data: funnelViewOf(funnel.steps, walked.result, breakdown !== undefined), meta };
  }

  /** The filters without goals and saved filters. */
  private async compiled(
    viewer: Viewer,
    websiteId: number,
    { funnel, filters = [] }: FunnelQueryView,
    { steps, definitions }: FunnelDefinition,
  ): Promise<Pick<FunnelRequest, 'filter' | 'seen' | 'steps'>> {
    const isStored = funnel !== undefined;
    const stepsAt = steps.map((step, index): SentFilters =>
      isStored
        ? { filters: step.filters, path: 'funnel', asText: true }
        : { filters: step.filters, path: `steps.${index}.filters` },
    );
    const sent = [{ filters, path: 'filters' }, ...stepsAt];
    const ofPage = pageFiltersOf(viewer) ?? [];
    const [resolved, ...limited] = await this.filters.resolveAll(viewer, websiteId, sent, definitions);
    const ofSteps = limited.map((own) => own.slice(ofPage.length));
    // To a viewer, a refusal would tell what the owner's goals and saved filters stand for.
    if (viewer.as === 'owner') expectPossible(ofSteps, isStored);
    expectFewConditions(ofSteps, isStored ? 'funnel' : 'steps', resolved!.slice(ofPage.length));
    return {
      filter: filterOf(resolved!),
      seen: filterOf(ofPage),
      steps: ofSteps.map((own) => filterOf(own)!),
    };
  }
}

/** The filters of a stored funnel are the owner's, as is what they name. */
function metaOf(
  viewer: Viewer,
  { funnel: name, breakdown }: FunnelQueryView,
  { steps, order, within }: FunnelDefinition,
): Pick<FunnelMetaView, 'funnel' | 'steps' | 'order' | 'within' | 'breakdown'> {
  return {
    ...(name !== undefined && { funnel: name }),
    steps:
      viewer.as === 'owner' || name === undefined ? steps : steps.map((step) => ({ ...step, filters: [] })),
    order,
    within,
    ...(breakdown && { breakdown }),
  };
}
