import { ApiPropertyOptional } from '@nestjs/swagger';
import { PageQuery } from '../../validation/page-query';
import { IfSent, IsFlag, IsOneOf, IsSearchText, SENT_FLAG } from '../../validation/rules';

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
    ...SENT_FLAG,
    description: 'true or 1 shows only favorites, false or 0 only other websites.',
  })
  favorite?: boolean;

  @IfSent()
  @IsFlag()
  @ApiPropertyOptional({
    ...SENT_FLAG,
    default: false,
    description: 'true or 1 lists favorites before all other websites.',
  })
  favorites_first?: boolean;

  @IfSent()
  @IsOneOf(SORTABLE)
  @ApiPropertyOptional({ enum: SORTABLE, default: 'id', description: 'id is the order of creation.' })
  sort_by: (typeof SORTABLE)[number] = 'id';
}
