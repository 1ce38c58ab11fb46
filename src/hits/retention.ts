export { COUNTING_RETENTION, waitsInInbox } from '../../engine/columns/forget/retention';
export { STORAGE_RETENTION } from '../../engine/columns/retention';
