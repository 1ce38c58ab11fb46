import { inFormat } from '../../http/answers/wanted-format';
import { NoFields } from '../../validation/fields';
import { ListValues } from './list-values.dto';
import { ShowStats } from './show-stats.dto';
import { SummariseStats } from './summarise-stats.dto';

/** Questions over HTTP, whose answers may be files. Those by message are not. */
export class StatsQuery extends inFormat(ShowStats) {}

export class SummaryQuery extends inFormat(SummariseStats) {}

export class ValuesQuery extends inFormat(ListValues) {}

export class FormatQuery extends inFormat(NoFields) {}
