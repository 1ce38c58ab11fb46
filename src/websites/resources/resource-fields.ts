import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { displayName } from '../../validation/parsers';
import { IfSent, IsText, Required } from '../../validation/rules';
import { ReadAs } from '../../validation/transforms';

/** Tells whether a new resource needs the field, or a change may leave it out. */
export type Sent = 'stored' | 'changed';

export const sentWhen = (sent: Sent) => (sent === 'stored' ? Required() : IfSent());

export const IsResourceName = (sent: Sent, example: string) =>
  applyDecorators(
    sentWhen(sent),
    ReadAs((value) => (typeof value === 'string' ? value.trim() : value)),
    IsText('isName', displayName),
    ApiProperty({
      type: String,
      minLength: 1,
      maxLength: 100,
      required: sent === 'stored',
      example,
      description: 'Unique in the website; blanks around it are removed.',
    }),
  );
