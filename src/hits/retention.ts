export { COUNTING_RETENTION, EVENT_ID_RETENTION } from '../../engine/columns/forget/retention';
export { STORAGE_RETENTION } from '../../engine/columns/retention';
