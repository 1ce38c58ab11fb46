import { setCacheBudget } from '../../ground/memory/memory-limits';
import { limitsOf } from './query-thread';

afterEach(() => setCacheBudget(128));

it('lets garbage wait only in the threads that scan, which share it', () => {
  setCacheBudget(128);
  expect(limitsOf({ lane: 'scanning', threads: 4 }).collectedFromMb).toBe(16);
  expect(limitsOf({ lane: 'scanning', threads: 2 }).collectedFromMb).toBe(32);
  expect(limitsOf({ lane: 'plain', threads: 2 }).collectedFromMb).toBe(0);
});
