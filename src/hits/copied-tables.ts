export {
  afterRestore,
  MADE_ANEW,
  type RowsWithoutHashes,
  rowsWithoutHashes,
} from '../../engine/columns/copied-tables';
