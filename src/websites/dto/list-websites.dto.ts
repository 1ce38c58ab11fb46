import { ApiPropertyOptional } from '@nestjs/swagger';
import { PageQuery } from '../../validation/page-query';
import { IfSent, IsFlag, IsOneOf, IsSearchText } from '../../validation/rules';

const SEARCHABLE = ['domain'] as const;
const SORTABLE = ['id', 'domain'] as const;

export class ListWebsites extends PageQuery {
  @IfSent()
  @IsSearchText(
    'Shows the websites whose domain contains this text, in ASCII or in its own letters; case is ignored. Only the newest 1,000 international domains are searched in their own letters.',
  )
  search?: string;

  @IfSent()
  @IsOneOf(SEARCHABLE)
  @ApiPropertyOptional({ enum: SEARCHABLE, default: 'domain', description: 'Where to search.' })
  search_by: (typeof SEARCHABLE)[number] = 'domain';

  @IfSent()
  @IsFlag()
  @ApiPropertyOptional({
    type: Boolean,
    description: 'true shows only favorites, false only other websites; 1 and 0 mean the same.',
  })
  favorite?: boolean;

  @IfSent()
  @IsFlag()
  @ApiPropertyOptional({
    type: Boolean,
    default: false,
    description: 'true lists favorites before all other websites.',
  })
  favorites_first?: boolean;

  @IfSent()
  @IsOneOf(SORTABLE)
  @ApiPropertyOptional({ enum: SORTABLE, default: 'id', description: 'id is the order of creation.' })
  sort_by: (typeof SORTABLE)[number] = 'id';
}
