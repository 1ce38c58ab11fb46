import { Field, NotAllowed } from '../../common/fields';
import { PAGE_SIZES } from '../../common/pagination';
import { oneOf, oneOfNumbers } from '../../common/parsers';
import { STAT_NAMES, type StatName } from '../dimensions';
import { type Comparison, RANGE } from './range';

export class SummariseStats {
  @Field({
    parse: names,
    required: true,
    api: {
      type: String,
      example: 'visitor,page,country',
      description: `What the statistics are grouped by, one or more, with commas between them: ${STAT_NAMES.join(', ')}.`,
    },
  })
  names!: StatName[];

  @Field(RANGE.from)
  from!: number;

  @Field(RANGE.to)
  to!: number;

  @Field(RANGE.compare)
  compare?: Comparison;

  @Field({
    parse: oneOfNumbers(PAGE_SIZES),
    api: {
      type: 'integer',
      enum: PAGE_SIZES,
      default: 10,
      description: 'How many entries of each name are shown.',
    },
  })
  per_page: (typeof PAGE_SIZES)[number] = 10;
}

function names(sent: string): StatName[] {
  const named = sent.split(',').map(oneOf(STAT_NAMES));
  if (new Set(named).size < named.length) throw new NotAllowed('must name each of them once');
  return named;
}
