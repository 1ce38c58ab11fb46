import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional, PickType, ApiSchema } from '@nestjs/swagger';
import { NotAllowed } from '../../engine/ground/errors';
import { DAY_OR_MOMENT, IfSent, IsSwitch, IsText, SENT_SWITCH } from '../validation/rules';
import { parsed, ReadAs } from '../validation/transforms';
import { type Sent, sentWhen } from '../websites/resources/resource-fields';
import { ResourceView } from '../websites/resources/resource.view';
import type { Switch } from '../websites/website.entity';
import { normaliseTime, timeText } from './annotated-time';
import type { Annotation } from './annotation.entity';

/** Neither control characters nor what else breaks a line. */
const ONE_LINE = /^[^\p{Cc}\u2028\u2029]{1,280}$/u;

const TEXT = { type: String, minLength: 1, maxLength: 280, example: 'Version 2.1 deployed' } as const;
const TIME = {
  type: String,
  pattern: DAY_OR_MOMENT,
  example: '2026-01-31T12:00:00Z',
  description:
    'A day, as Y-m-d, or a moment with Z or its offset, like 2026-01-31T13:00:00+01:00, which is cut at the second. A new annotation without it is about now.',
} as const;
const PUBLIC = 'Whether viewers of the shared page see it: 0 = No, 1 = Yes.';

const IsAnnotationText = (sent: Sent) =>
  applyDecorators(
    sentWhen(sent),
    ReadAs((value) => (typeof value === 'string' ? value.trim() : value)),
    IsText('isAnnotationText', (text) => {
      if (!ONE_LINE.test(text)) throw new NotAllowed('must have 1 to 280 characters, in one line');
    }),
    ApiProperty({
      ...TEXT,
      required: sent === 'stored',
      description: 'What happened, in one line; blanks around it are removed.',
    }),
  );

class AnnotationFields {
  @IfSent()
  @ReadAs((sent) => parsed(normaliseTime, sent))
  @IsText('isAnnotatedTime', normaliseTime)
  @ApiPropertyOptional(TIME)
  at?: string;

  @IfSent()
  @IsSwitch()
  @ApiPropertyOptional({
    ...SENT_SWITCH,
    default: 0,
    description: PUBLIC,
  })
  public?: Switch;
}

export class StoreAnnotation extends AnnotationFields {
  @IsAnnotationText('stored')
  text!: string;
}

export class UpdateAnnotation extends AnnotationFields {
  @IsAnnotationText('changed')
  text?: string;
}

@ApiSchema({ description: 'What happened on a day or at a moment.' })
export class AnnotationView extends ResourceView {
  @ApiProperty({
    example: TIME.example,
    description: 'A day, as Y-m-d, or a moment in UTC and whole seconds.',
  })
  at!: string;

  @ApiProperty(TEXT)
  text!: string;

  @ApiProperty({ type: 'integer', enum: [0, 1], example: 0, description: PUBLIC })
  public!: Switch;

  static of(this: void, annotation: Annotation): AnnotationView {
    const { id, text, public: isPublic, createdAt, updatedAt } = annotation;
    return {
      ...{ id, at: timeText(annotation), text, public: isPublic },
      ...{ created_at: createdAt.toISOString(), updated_at: updatedAt.toISOString() },
    };
  }
}

/** What readers of a shared page see. */
@ApiSchema({ description: 'An annotation as viewers see it.' })
export class SharedAnnotationView extends PickType(AnnotationView, ['at', 'text']) {
  static of(this: void, annotation: Annotation): SharedAnnotationView {
    return { at: timeText(annotation), text: annotation.text };
  }
}

export const ANNOTATION_COLUMNS = [
  'id',
  'at',
  'text',
  'public',
  'created_at',
  'updated_at',
] as const satisfies (keyof AnnotationView)[];
