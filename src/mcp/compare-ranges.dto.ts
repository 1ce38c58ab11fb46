import { OmitType } from '@nestjs/swagger';
import { IsFirstDay, IsLastDay } from '../stats/dto/range';
import { SummariseStats } from '../stats/dto/summarise-stats.dto';

export class CompareRanges extends OmitType(SummariseStats, ['compare']) {
  @IsFirstDay()
  previous_from!: number;

  @IsLastDay()
  previous_to!: number;
}
