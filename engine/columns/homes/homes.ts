import { ROWS_HERE } from '../../rows/row-days';
import type { RowHome } from '../../rows/row-home';
import { HOMES } from '../segments/hit-segments';

/** The home of a day that has moved. */
export function homeOf(number: number): RowHome {
  if (number === HOMES.rows) return ROWS_HERE;
  throw new Error(`no home has the number ${number}`);
}
