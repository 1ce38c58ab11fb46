import { Field } from '../../common/fields';
import { PageQuery } from '../../common/pagination';
import { oneOf, searchText, yesOrNo } from '../../common/parsers';

const SEARCHABLE = ['domain'] as const;
const SORTABLE = ['id', 'domain'] as const;

export class ListWebsites extends PageQuery {
  @Field({
    parse: searchText,
    api: {
      type: String,
      description: 'Shows the websites whose domain contains this text.',
    },
  })
  search?: string;

  @Field({
    parse: oneOf(SEARCHABLE),
    api: { enum: SEARCHABLE, default: 'domain', description: 'Where to search.' },
  })
  search_by: (typeof SEARCHABLE)[number] = 'domain';

  @Field({
    parse: yesOrNo,
    api: {
      type: Boolean,
      description: 'Shows the favorites alone, or the others alone; 1 and 0 will do as well.',
    },
  })
  favorite?: boolean;

  @Field({
    parse: oneOf(SORTABLE),
    api: { enum: SORTABLE, default: 'id', description: 'id is the order of creation.' },
  })
  sort_by: (typeof SORTABLE)[number] = 'id';
}
