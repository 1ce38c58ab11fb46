import { DueWebsites } from './due-websites';
import type { WantedWebsite } from './followed.repository';

const websites = (...userIds: number[]): WantedWebsite[] =>
  userIds.map((userId, index) => ({ id: index + 1, userId, domain: 'a.example', followed: undefined }));
const ids = (taken: (WantedWebsite | undefined)[]) => taken.map((website) => website?.id);

it('gives two of one user at once, and others besides', () => {
  const due = new DueWebsites(websites(1, 1, 1, 1, 2, 3));
  const taken = Array.from({ length: 4 }, () => due.take());
  expect(ids(taken)).toEqual([1, 2, 5, 6]);
  expect(due.take()).toBeUndefined();
  due.leave(taken[2]!);
  expect(due.take()).toBeUndefined();
  due.leave(taken[0]!);
  expect(ids([due.take(), due.take()])).toEqual([3, undefined]);
});
