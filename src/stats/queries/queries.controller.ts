import { applyDecorators, Controller, createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Access, keepsToWebsites, keyOf } from '../../auth/bearer.guard';
import { letTakeLonger } from '../../http/connections/answer-in-time';
import { ApiProblems } from '../../http/openapi/openapi-problems';
import { signalOf } from '../../http/requests/requests';
import { Budget } from '../../http/requests/routes';
import { ApiWebsiteId, websiteIdFor } from '../../websites/website-id';
import { owner } from '../viewers/viewer';
import { type Ask, questionsAt } from './questions.controller';

const OwnersAsk = createParamDecorator((_: unknown, context: ExecutionContext): Ask => {
  const request = context.switchToHttp().getRequest<Request>();
  const response = context.switchToHttp().getResponse<Response>();
  const key = keyOf(request)!;
  const websiteId = websiteIdFor(key, request.params.website_id);
  letTakeLonger(response);
  const caller = { owner: key.userId, signal: signalOf(response) };
  return (work) => work({ viewer: owner(key.userId), websiteId, caller });
});

@ApiTags('Statistics')
@Controller('api/v1/stats')
@Budget('statistics')
export class QueriesController extends questionsAt({
  path: ':website_id/',
  asker: () => (target, method, index) => {
    keepsToWebsites(target, method!);
    OwnersAsk()(target, method, index);
  },
  route: () =>
    applyDecorators(Access('read'), ApiWebsiteId('website_id'), ApiProblems([400, 404, 422, 500, 503])),
  query: {
    operationId: 'queryStats',
    summary: 'Query hits',
    description:
      'Any metrics by up to three dimensions, over the hits that the filters select. It changes nothing. Up to 20 queries can be sent at once, as queries; all answers are of one moment.',
  },
  funnel: {
    operationId: 'queryFunnel',
    summary: 'Query a funnel',
    description:
      'The visitors of a day who take steps one after the other: how many reach each step, how long they take, and where the others go. The funnel is a stored one, or sent as steps. It changes nothing.',
  },
  journey: {
    operationId: 'queryJourney',
    summary: 'Query journeys',
    description:
      'The pages and events of visits, step by step, from the start of each visit, from a page or from an event, forwards or backwards: the ten most frequent of each step, all others together, and the visits between them. It changes nothing.',
  },
}) {}
