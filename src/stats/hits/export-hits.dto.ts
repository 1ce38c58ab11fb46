import { IsFirstDay, IsLastDay } from '../dto/range';

export class ExportHits {
  @IsFirstDay()
  from!: number;

  @IsLastDay()
  to!: number;
}
