import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { IfSent, IsOneOf, IsPositiveInteger } from './rules';
import { DIRECTIONS, type Direction } from '../../engine/ground/rows';

const PAGE_SIZES = [10, 25, 50, 100] as const;
export type PageSize = (typeof PAGE_SIZES)[number];

export const IsPageSize = (description: string) =>
  applyDecorators(
    IfSent(),
    IsOneOf(PAGE_SIZES),
    ApiPropertyOptional({ type: 'integer', enum: PAGE_SIZES, default: 10, description }),
  );

export class PageQuery {
  @IfSent()
  @IsOneOf(DIRECTIONS)
  @ApiPropertyOptional({ enum: DIRECTIONS, default: 'desc', description: 'The direction of the order.' })
  sort: Direction = 'desc';

  @IsPageSize('The number of results on a page.')
  per_page: PageSize = 10;

  @IfSent()
  @IsPositiveInteger()
  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    maximum: Number.MAX_SAFE_INTEGER,
    default: 1,
    description: 'The page to show.',
  })
  page: number = 1;
}
