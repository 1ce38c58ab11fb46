import { Field } from '../../common/fields';
import { PageQuery } from '../../common/pagination';
import { oneOf, searchText } from '../../common/parsers';
import { STAT_NAMES, type StatName } from '../dimensions';
import { type Comparison, RANGE } from './range';

const SEARCHABLE = ['value'] as const;
const SORTABLE = ['count', 'value'] as const;

export class ShowStats extends PageQuery {
  @Field({
    parse: oneOf(STAT_NAMES),
    required: true,
    api: { enum: STAT_NAMES, example: 'page', description: 'What the statistics are grouped by.' },
  })
  name!: StatName;

  @Field(RANGE.from)
  from!: number;

  @Field(RANGE.to)
  to!: number;

  @Field(RANGE.compare)
  compare?: Comparison;

  @Field({
    parse: searchText,
    api: {
      type: String,
      description:
        'Shows the entries whose value or label contains this text, upper and lower case being the same.',
    },
  })
  search?: string;

  @Field({
    parse: oneOf(SEARCHABLE),
    api: { enum: SEARCHABLE, description: 'Where to search; the label belongs to the value.' },
  })
  search_by?: (typeof SEARCHABLE)[number];

  @Field({
    parse: oneOf(SORTABLE),
    api: { enum: SORTABLE, default: 'count', description: 'The order; equal counts are ordered by value.' },
  })
  sort_by: (typeof SORTABLE)[number] = 'count';
}
