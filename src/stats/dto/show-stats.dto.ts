import { Field } from '../../common/fields';
import { PageQuery } from '../../common/pagination';
import { day, oneOf, searchText } from '../../common/parsers';
import { STAT_NAMES, type StatName } from '../dimensions';

const SEARCHABLE = ['value'] as const;
const SORTABLE = ['count', 'value'] as const;
const DAY = { type: String, format: 'date' } as const;

export class ShowStats extends PageQuery {
  @Field({
    parse: oneOf(STAT_NAMES),
    required: true,
    api: { enum: STAT_NAMES, example: 'page', description: 'What the statistics are grouped by.' },
  })
  name!: StatName;

  @Field({
    parse: day,
    required: true,
    api: { ...DAY, example: '2026-01-01', description: 'The first day, as Y-m-d.' },
  })
  from!: number;

  @Field({
    parse: day,
    required: true,
    api: { ...DAY, example: '2026-01-31', description: 'The last day, as Y-m-d; it is included.' },
  })
  to!: number;

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
