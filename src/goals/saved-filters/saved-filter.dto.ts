import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { checkSelection } from '../../../engine/questions/parse/body-filters';
import type { FilterJson } from '../../../engine/questions/parse/filter';
import { IfSent, IsSwitch, SENT_SWITCH } from '../../validation/rules';
import { IsResourceName, type Sent } from '../../websites/resources/resource-fields';
import { NamedResourceView, shownAs } from '../../websites/resources/resource.view';
import type { Switch } from '../../websites/website.entity';
import { FILTERS_SCHEMA, IsStoredJson, sizesOf } from '../filters-field';
import type { SavedFilter } from './saved-filter.entity';

export const MOBILE = {
  name: 'Mobile in DACH',
  filters: [
    ['is', 'device', ['mobile']],
    ['is', 'country', ['DE', 'AT', 'CH']],
  ],
};

const FILTERS = {
  ...FILTERS_SCHEMA,
  example: MOBILE.filters,
  description: `As in a query, with a condition or more. It may contain goals, and other saved filters that contain one at most. ${sizesOf('saved filters')}`,
} as const;
const SHARED = {
  type: 'integer',
  enum: [0, 1],
  example: 0,
  description:
    'Whether the shared page counts the selected hits alone: 0 or 1. Of a website one filter at most has 1; it takes the place of another.',
} as const;

const IsName = (sent: Sent) => IsResourceName(sent, MOBILE.name);
const IsFilters = (sent: Sent) => IsStoredJson(sent, checkSelection, FILTERS);

class Sharing {
  @IfSent()
  @IsSwitch()
  @ApiProperty({
    ...SENT_SWITCH,
    default: 0,
    required: false,
    description: SHARED.description,
  })
  shared?: Switch;
}

export class StoreSavedFilter extends Sharing {
  @IsName('stored')
  name!: string;

  @IsFilters('stored')
  filters!: FilterJson[];
}

export class UpdateSavedFilter extends Sharing {
  @IsName('changed')
  name?: string;

  @IsFilters('changed')
  filters?: FilterJson[];
}

@ApiSchema({ description: 'Filters with a name.' })
export class SavedFilterView extends NamedResourceView {
  @ApiProperty(FILTERS)
  filters!: FilterJson[];

  @ApiProperty(SHARED)
  shared!: Switch;

  static of(this: void, saved: SavedFilter): SavedFilterView {
    const { filters, shared } = saved;
    return shownAs(saved, { filters, shared });
  }
}

export const SAVED_FILTER_COLUMNS = [
  'id',
  'name',
  'filters',
  'shared',
  'created_at',
  'updated_at',
] as const satisfies (keyof SavedFilterView)[];
