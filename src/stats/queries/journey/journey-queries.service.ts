import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../../engine/ground/gate';
import { InvalidFields } from '../../../../engine/ground/errors';
import {
  DEFAULT_STEPS,
  ENTRY,
  type JourneyAnswerView,
  type JourneyQueryView,
  type SentStart,
} from '../../dto/journey.view';
import { knownTo } from '../../viewers/known-to';
import { checkWalk } from '../../viewers/viewer-limits';
import { askerOf, pageFiltersOf, type Viewer } from '../../viewers/viewer';
import { WebsiteFilters } from '../../website-filters';
import { filterOf } from '../../../../engine/questions/parse/filter';
import { QueriesRepository } from '../queries.repository';
import { WalkQuestions } from '../walk/walk-questions';
import {
  type JourneyCounts,
  type JourneyRequest,
  scopeOfJourney,
} from '../../../../engine/questions/journey-request';

/** Follows visits from page to page. */
@Injectable()
export class JourneyQueriesService {
  constructor(
    private readonly queries: QueriesRepository,
    private readonly questions: WalkQuestions,
    private readonly filters: WebsiteFilters,
  ) {}

  async answer(
    viewer: Viewer,
    websiteId: number,
    asked: JourneyQueryView,
    caller: Caller,
  ): Promise<JourneyAnswerView> {
    const { range, filters = [], from, direction = 'forwards', steps = DEFAULT_STEPS } = asked;
    if (from === ENTRY && direction !== 'forwards')
      throw new InvalidFields({ direction: ['must be forwards where journeys begin at the entry'] });
    checkWalk(viewer, 'from', { range, filters });
    const [resolved] = await this.filters.resolveAll(viewer, websiteId, [{ filters, path: 'filters' }]);
    const spans = await this.questions.spansOf(websiteId, asked);
    const request: JourneyRequest = {
      ...{ asker: askerOf(viewer), websiteId, ...spans, steps },
      filter: filterOf(resolved!),
      seen: filterOf(pageFiltersOf(viewer) ?? []),
      from: startOf(from),
      isBackwards: direction === 'backwards',
    };
    const walked = await this.queries.journey(request, caller);
    const scope = knownTo(viewer, scopeOfJourney(request), filters);
    const meta = await this.questions.metaOf(websiteId, asked, scope, walked);
    return { data: viewOf(walked.result), meta: { ...meta, from, direction, steps } };
  }
}

function startOf(sent: SentStart): JourneyRequest['from'] {
  if (sent === ENTRY) return ENTRY;
  return 'page' in sent ? { kind: 'page', value: sent.page } : { kind: 'event', value: sent.event };
}

function viewOf({ visits, steps, links }: JourneyCounts): JourneyAnswerView['data'] {
  return { visits, steps: steps.map((step, index) => ({ step: index + 1, ...step })), links: [...links] };
}
