import type { Database } from '../../engine/database/database';

class Ended extends Error {}

/** `query` of a query runner, in any of its forms. */
type Query = (statement: string, ...further: unknown[]) => Promise<unknown>;

/**
 * Repeats work that is interrupted one statement later each time, and finally before a commit, until it completes.
 * Returns the interrupted statements in order.
 */
export async function walkStatements(
  database: Database,
  work: () => Promise<unknown>,
  afterEach: (statement: string) => Promise<void>,
): Promise<string[]> {
  const walked: string[] = [];
  for (;;) {
    const ended = await endsAt(database, walked.length, work);
    if (ended === undefined) return walked;
    walked.push(ended);
    await afterEach(ended);
  }
}

/** The statement at which the work was interrupted; undefined if it completed. */
async function endsAt(
  database: Database,
  place: number,
  work: () => Promise<unknown>,
): Promise<string | undefined> {
  let left = place;
  let ended: string | undefined;
  const end = (statement: string) => {
    if (ended === undefined && left-- > 0) return;
    ended ??= statement;
    throw new Ended();
  };
  const write = database.write.bind(database);
  const spy = jest.spyOn(database, 'write').mockImplementation((own, ...further) =>
    write(
      async (manager) => {
        const runner = manager.queryRunner!;
        const query = runner.query.bind(runner) as Query;
        const queries = jest
          .spyOn(runner, 'query')
          .mockImplementation((statement: string, ...further: unknown[]) => {
            end(statement);
            return query(statement, ...further);
          });
        try {
          const result = await own(manager);
          end('COMMIT');
          return result;
        } finally {
          queries.mockRestore();
        }
      },
      ...further,
    ),
  );
  try {
    await work();
  } catch (error) {
    if (!(error instanceof Ended)) throw error;
  } finally {
    spy.mockRestore();
  }
  return ended;
}
