import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { IfSent, IsText } from '../../validation/rules';
import { ReadAs } from '../../validation/transforms';
import { FILTER_NAMES } from '../../../engine/questions/parse/filter';
import { FILTER_LIMITS, QUESTION_LIMITS } from '../../../engine/questions/question-limits';
import { parseFilterSyntax } from '../../../engine/questions/parse/filter-syntax';

/** Undefined if it is empty. */
export const IsFilter = () =>
  applyDecorators(
    IfSent(),
    ReadAs((sent) => (sent === '' ? undefined : sent)),
    IsText('isFilter', parseFilterSyntax),
    ApiPropertyOptional({
      type: String,
      maxLength: QUESTION_LIMITS.filterBytes,
      example: 'country==DE;device==mobile,device==tablet',
      description: `Counts only the selected hits. Conditions NAME OP VALUE, joined by ";" (and) or "," (or, which binds closer); OP is one of == != =@ (contains) !@ (contains not) =^ (begins with) =$ (ends with). A VALUE with one of ; , % is percent-encoded once more; == without a value means "not set". At most ${QUESTION_LIMITS.filterBytes.toLocaleString('en')} bytes and ${FILTER_LIMITS.conditions} conditions. Names: ${FILTER_NAMES.join(', ')}, and saved with the name of a saved filter (== or !=).`,
    }),
  );
