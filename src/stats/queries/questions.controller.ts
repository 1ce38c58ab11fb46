import {
  applyDecorators,
  Body,
  HttpCode,
  Inject,
  Post,
  Query,
  type Type,
  UseInterceptors,
} from '@nestjs/common';
import { ApiBody, ApiExtraModels, ApiOperation, ApiResponse } from '@nestjs/swagger';
import { STEPS_SCHEMA } from '../../goals/funnels/funnel-schemas';
import { EnvelopeInterceptor } from '../../http/answers/envelope.interceptor';
import { FILES } from '../../http/answers/files';
import { MayBeTable } from '../../http/answers/listing';
import { OnlyJson } from '../../http/answers/wanted-format';
import { JSON_TYPE } from '../../http/answers/wanted-format';
import { ApiProblems, REQUEST_ID_HEADER } from '../../http/openapi/openapi-problems';
import { NoFields } from '../../validation/fields';
import { fieldsAs } from '../../validation/fields.pipe';
import { FormatQuery } from '../dto/in-format';
import { FunnelAnswerView, FunnelQueryView } from '../dto/funnel.view';
import { JourneyAnswerView, JourneyQueryView } from '../dto/journey.view';
import {
  HitQueriesView,
  HitQueryView,
  QUERY_ANSWER,
  QUERY_BODY,
  QueryAnswerView,
  SeveralAnswersView,
  SeveralQueriesView,
} from '../dto/query.view';
import { answerOf, type StatsCaller } from '../tagged-answers';
import { FunnelQueriesService } from './funnel/funnel-queries.service';
import { JourneyQueriesService } from './journey/journey-queries.service';
import { QueriesService } from './queries.service';

/** Runs work for the caller, once it may see the website. */
export type Ask = <T>(work: (asking: StatsCaller) => Promise<T>) => Promise<T>;

interface Texts {
  operationId: string;
  summary: string;
  description: string;
}

/** The ways in to the same questions: with a key, or from a shared page. */
interface Mount {
  path: string;
  /** The decorator of a parameter of the type Ask. */
  asker: () => ParameterDecorator;
  /** Who may call a route, its parameters in the path and its problems. */
  route: () => MethodDecorator;
  query: Texts;
  funnel: Texts;
  journey: Texts;
}

const EXAMPLES = {
  query: {
    countries: {
      value: {
        metrics: ['visitors', 'bounce_rate'],
        dimensions: ['country'],
        filters: [['is', 'device', ['mobile']]],
        range: '30d',
      },
    },
  },
  funnel: { signups: { value: { steps: STEPS_SCHEMA.example, range: '30d' } } },
  journey: { pricing: { value: { from: { page: '/pricing' }, range: '30d' } } },
};

/** Questions about hits. Their bodies are checked once it is known who asks. */
export function questionsAt(mount: Mount) {
  const Question = (name: keyof typeof EXAMPLES, sent: { type: Type } | { schema: object }) =>
    applyDecorators(
      Post(`${mount.path}${name}`),
      HttpCode(200),
      ApiOperation(mount[name]),
      mount.route(),
      ApiBody({ ...sent, examples: EXAMPLES[name] }),
      ApiProblems([408, 413, 415]),
    );
  const Answers = (description: string, answer: object) =>
    ApiResponse({ status: 200, description, headers: REQUEST_ID_HEADER, ...answer });

  abstract class Questions {
    @Inject(QueriesService) readonly hitQueries!: QueriesService;
    @Inject(FunnelQueriesService) readonly funnels!: FunnelQueriesService;
    @Inject(JourneyQueriesService) readonly journeys!: JourneyQueriesService;

    @Question('query', { schema: QUERY_BODY })
    @MayBeTable()
    @UseInterceptors(EnvelopeInterceptor)
    @ApiExtraModels(HitQueryView, SeveralQueriesView, QueryAnswerView, SeveralAnswersView)
    @Answers('The rows, in order. Several queries are answered as JSON only.', {
      content: { [JSON_TYPE]: { schema: QUERY_ANSWER }, ...FILES },
    })
    query(@Query() _: FormatQuery, @Body() body: object, @mount.asker() ask: Ask) {
      return ask(async (asking) => answerOf(this.hitQueries, asking, await fieldsAs(HitQueriesView, body)));
    }

    @Question('funnel', { type: FunnelQueryView })
    @OnlyJson()
    @Answers('The steps.', { type: FunnelAnswerView })
    funnel(@Query() _: NoFields, @Body() body: object, @mount.asker() ask: Ask) {
      return ask(async ({ viewer, websiteId, caller }) =>
        this.funnels.answer(viewer, websiteId, await fieldsAs(FunnelQueryView, body), caller),
      );
    }

    @Question('journey', { type: JourneyQueryView })
    @OnlyJson()
    @Answers('The steps, and the links between them.', { type: JourneyAnswerView })
    journey(@Query() _: NoFields, @Body() body: object, @mount.asker() ask: Ask) {
      return ask(async ({ viewer, websiteId, caller }) =>
        this.journeys.answer(viewer, websiteId, await fieldsAs(JourneyQueryView, body), caller),
      );
    }
  }
  return Questions;
}
