import { WorkSteps } from '../ground/deadline-check';
import { passingOne } from './filter-operators';

it('lets a deadline come through between two comparisons of long texts', () => {
  class DeadlineMissed extends Error {}
  const steps = new WorkSteps(() => {
    throw new DeadlineMissed();
  });
  const passes = passingOne(
    'contains',
    Array.from({ length: 100 }, (_, number) => `b${number}`),
    (units) => steps.take(units),
  );
  expect(() => passes('a'.repeat(2000))).toThrow(DeadlineMissed);
});

it('counts the units of a text and of the parts that it is compared with', () => {
  let units = 0;
  const passes = passingOne('starts', ['no', 'yes', 'never'], (more) => (units += more));
  expect([passes('Yes, it does'), units]).toEqual([true, 12 + 2 + 12 + 3]);
});
