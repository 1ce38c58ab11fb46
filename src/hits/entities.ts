export { ENGINE_TABLES } from '../../engine/database/tables';
export { ROW_TABLES } from '../../engine/rows/row-entities';
