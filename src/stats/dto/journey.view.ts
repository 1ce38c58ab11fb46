import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { IsIn, IsInt, Max, Min } from 'class-validator';
import { TYPES } from '../../http/openapi/openapi-document';
import { NotAllowed } from '../../../engine/ground/errors';
import { AsSent } from '../../validation/marks';
import { IfSent, IsAllowed } from '../../validation/rules';
import { QUESTION_LIMITS } from '../../../engine/questions/question-limits';
import type { NodeKind } from '../../../engine/questions/journey-request';
import { WalkMetaView, WalkQueryView } from './walk.view';

export const DIRECTIONS_OF_JOURNEYS = ['forwards', 'backwards'] as const;
export type JourneyDirection = (typeof DIRECTIONS_OF_JOURNEYS)[number];
export type SentStart = 'entry' | { page: string } | { event: string };

export const ENTRY = 'entry';
const KINDS: readonly NodeKind[] = ['page', 'event'];
const { stepsOfJourney: MAX_STEPS } = QUESTION_LIMITS;
const MAX_VALUE_BYTES = 8192;
const COUNT_MESSAGE = { message: `must be an integer from 1 to ${MAX_STEPS}` };
const START_MESSAGE = 'must be "entry", {"page": "/x"} or {"event": "signup"}';

function checkStart(sent: unknown): void {
  if (sent === undefined) throw new NotAllowed('is required');
  if (sent === ENTRY) return;
  const members = typeof sent === 'object' && sent !== null ? Object.entries(sent) : [];
  const [kind, value] = members[0] ?? [];
  if (members.length !== 1 || !KINDS.some((one) => one === kind)) throw new NotAllowed(START_MESSAGE);
  if (typeof value !== 'string' || value === '' || !value.isWellFormed()) throw new NotAllowed(START_MESSAGE);
  if (Buffer.byteLength(value) > MAX_VALUE_BYTES)
    throw new NotAllowed(`must have at most ${MAX_VALUE_BYTES.toLocaleString('en')} bytes`);
}

const FROM = {
  oneOf: [
    { type: 'string', enum: [ENTRY] },
    ...KINDS.map((kind) => ({
      type: 'object',
      required: [kind],
      additionalProperties: false,
      properties: { [kind]: { type: 'string', minLength: 1 } },
    })),
  ],
  example: ENTRY,
  description:
    'Where journeys begin: at the start of each visit, or at the first hit of a visit that is this page or event; backwards at the last one.',
};
const FROM_OF_META = { ...FROM, [TYPES]: ['string', 'object'], additionalProperties: true };
const DIRECTION = {
  enum: DIRECTIONS_OF_JOURNEYS,
  default: 'forwards',
  description: 'From the entry only forwards.',
};
export const DEFAULT_STEPS = 3;
const STEPS = { type: 'integer', minimum: 1, maximum: MAX_STEPS } as const;

@ApiSchema({ description: 'Where journeys begin, and how far they are followed.' })
export class JourneyQueryView extends WalkQueryView {
  @ApiProperty(FROM)
  @IsAllowed('isStart', checkStart)
  @AsSent()
  from!: SentStart;

  @ApiPropertyOptional(DIRECTION)
  @IsIn(DIRECTIONS_OF_JOURNEYS, { message: `must be one of ${DIRECTIONS_OF_JOURNEYS.join(', ')}` })
  @IfSent()
  direction?: JourneyDirection;

  @ApiPropertyOptional({ ...STEPS, default: DEFAULT_STEPS, description: 'How many steps are followed.' })
  @IsInt(COUNT_MESSAGE)
  @Min(1, COUNT_MESSAGE)
  @Max(MAX_STEPS, COUNT_MESSAGE)
  @IfSent()
  steps?: number;
}

const VISITS = { type: 'integer', example: 12 } as const;

@ApiSchema({ description: 'A page or an event of a step.' })
class JourneyNodeView {
  @ApiProperty({ enum: KINDS, example: 'page' })
  kind!: NodeKind;

  @ApiProperty({ example: '/pricing' })
  value!: string;

  @ApiProperty(VISITS)
  visits!: number;
}

@ApiSchema({ description: 'What is not among the most frequent of a step.' })
class JourneyOthersView {
  @ApiProperty({ type: 'integer', example: 3, description: 'How many different pages and events.' })
  values!: number;

  @ApiProperty(VISITS)
  visits!: number;
}

@ApiSchema({ description: 'The pages and events of a step.' })
class JourneyStepView {
  @ApiProperty({ type: 'integer', minimum: 1, example: 1 })
  step!: number;

  @ApiProperty({ type: [JourneyNodeView], maxItems: 10, description: 'The most frequent first.' })
  nodes!: JourneyNodeView[];

  @ApiProperty({ description: 'What is not among the nodes.' })
  others!: JourneyOthersView;

  @ApiProperty({ ...VISITS, description: 'Visits of the step before that end there.' })
  ended!: number;
}

const placeSchema = (...words: string[]) => ({
  [TYPES]: ['integer', 'string'],
  oneOf: [
    { type: 'integer', minimum: 0, maximum: 9 },
    { type: 'string', enum: words },
  ],
  example: 0,
});

@ApiSchema({ description: 'The visits that went from one node to another.' })
class JourneyLinkView {
  @ApiProperty({
    type: 'integer',
    minimum: 1,
    example: 1,
    description: 'It leads from the step before to it.',
  })
  step!: number;

  @ApiProperty({
    ...placeSchema('others', 'start'),
    description: 'The place of a node in the step before, others, or start.',
  })
  from!: number | 'others' | 'start';

  @ApiProperty({
    ...placeSchema('others', 'ended'),
    description: 'The place of a node in the step, others, or ended.',
  })
  to!: number | 'others' | 'ended';

  @ApiProperty(VISITS)
  visits!: number;
}

@ApiSchema({ description: 'The steps of visits, and the links between them.' })
export class JourneyView {
  @ApiProperty({ ...VISITS, description: 'The visits with a start.' })
  visits!: number;

  @ApiProperty({ type: [JourneyStepView] })
  steps!: JourneyStepView[];

  @ApiProperty({ type: [JourneyLinkView] })
  links!: JourneyLinkView[];
}

@ApiSchema({ description: 'The query as it was understood.' })
export class JourneyMetaView extends WalkMetaView {
  @ApiProperty(FROM_OF_META)
  from!: SentStart;

  @ApiProperty(DIRECTION)
  direction!: JourneyDirection;

  @ApiProperty(STEPS)
  steps!: number;
}

@ApiSchema({ description: 'The answer to a query of journeys.' })
export class JourneyAnswerView {
  @ApiProperty()
  data!: JourneyView;

  @ApiProperty()
  meta!: JourneyMetaView;
}
