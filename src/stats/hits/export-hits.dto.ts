import { IsFilter } from '../dto/filter';
import { IsFirstDay, IsLastDay } from '../dto/range';

export class ExportHits {
  @IsFirstDay()
  from!: number;

  @IsLastDay()
  to!: number;

  @IsFilter()
  filter?: string;
}
