import { applyDecorators, Controller, createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Budget, ReadsBody } from '../../http/requests/routes';
import { questionsAt } from '../../stats/queries/questions.controller';
import { ApiDomain, ApiNotSeen, SharedCallers, WHO } from './shared-callers';

const FOR_WHOM =
  'For the owner, and for viewers while `share_filters` is 1: by days, without currency and properties of events.';

const ViewersAsk = createParamDecorator((_: unknown, context: ExecutionContext) => context.switchToHttp());

/** Questions about the hits that a shared page shows. */
@ApiTags('Shared')
@Controller('share/:domain/api')
@Budget('statistics')
export class SharedQuestionsController extends questionsAt({
  path: '',
  asker: () => ViewersAsk(SharedCallers),
  route: () => applyDecorators(ReadsBody('viewerQuery'), ApiDomain(), ApiNotSeen()),
  query: {
    operationId: 'queryShared',
    summary: 'Query hits of shared statistics',
    description: `The same as \`POST /api/v1/stats/{website_id}/query\`, without hours, moments, currency, properties and values of events. While \`share_filters\` is 0, viewers other than the owner have no filters, and only days, weeks or months in the past; visits, bounces and seconds are those of days with 10 visitors or more. ${WHO}`,
  },
  funnel: {
    operationId: 'querySharedFunnel',
    summary: 'Query a funnel of shared statistics',
    description: `The same as \`POST /api/v1/stats/{website_id}/funnel\`. ${FOR_WHOM} ${WHO}`,
  },
  journey: {
    operationId: 'querySharedJourney',
    summary: 'Query journeys of shared statistics',
    description: `The same as \`POST /api/v1/stats/{website_id}/journey\`. ${FOR_WHOM} ${WHO}`,
  },
}) {}
