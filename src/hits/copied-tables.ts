export {
  AFTER_RESTORE,
  MADE_ANEW,
  type RowsWithoutHashes,
  rowsWithoutHashes,
} from '../../engine/columns/copied-tables';
