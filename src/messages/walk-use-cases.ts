import { FunnelQueriesService } from '../stats/queries/funnel/funnel-queries.service';
import { JourneyQueriesService } from '../stats/queries/journey/journey-queries.service';
import { WithMeta } from '../http/answers/pagination';
import { FunnelMetaView, FunnelQueryView, FunnelResultView } from '../stats/dto/funnel.view';
import { JourneyMetaView, JourneyQueryView, JourneyView } from '../stats/dto/journey.view';
import { owner } from '../stats/viewers/viewer';
import { useCase } from './use-case';

const QUESTION = { scope: 'read', budget: 'statistics', id: 'website_id', keepsToWebsites: true } as const;

export const WALK_USE_CASES = {
  'stats.funnel': useCase(FunnelQueriesService, {
    ...QUESTION,
    summary: 'Query a funnel',
    fields: FunnelQueryView,
    data: FunnelResultView,
    meta: FunnelMetaView,
    answer: async (funnelQueries, { key, websiteId, fields, caller }) => {
      const { data, meta } = await funnelQueries.answer(owner(key.userId), websiteId, fields, caller);
      return new WithMeta(data, meta);
    },
  }),
  'stats.journey': useCase(JourneyQueriesService, {
    ...QUESTION,
    summary: 'Query journeys',
    fields: JourneyQueryView,
    data: JourneyView,
    meta: JourneyMetaView,
    answer: async (journeyQueries, { key, websiteId, fields, caller }) => {
      const { data, meta } = await journeyQueries.answer(owner(key.userId), websiteId, fields, caller);
      return new WithMeta(data, meta);
    },
  }),
};
