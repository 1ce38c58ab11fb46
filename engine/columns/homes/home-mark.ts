import { randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Database } from '../../database/database';
import { CommandError } from '../../ground/errors';
import type { GivenHome } from './homes';

/*
 * The table of a remote home has a mark, and `hit_homes` has it as well. The mark changes before rows are removed. After
 * a restore of one side, or once a copy of the database has used the table, the two differ: the table may have the only
 * copy of hits that the database does not know, so nothing is removed. Whoever finds that marks the table as disputed,
 * and the other side finds that.
 */
const DISPUTED = 'disputed';

/** Says which database may remove rows of a table. One process at a time may change the mark. */
export class HomeMark {
  constructor(
    private readonly database: Database,
    private readonly given: GivenHome,
  ) {}

  /** A home that the database has not noted yet has nothing of it. */
  async isOurs(): Promise<boolean> {
    return (await this.read()).length === 0 || (await this.find()) !== undefined;
  }

  /** Call it under the lease before rows are removed. Returns false, and changes nothing, if the table is not ours. */
  async change(): Promise<boolean> {
    const mark = await this.find();
    if (mark !== undefined) await this.write(mark);
    return mark !== undefined;
  }

  async expectChange(): Promise<void> {
    if (!(await this.isOurs()))
      throw new CommandError(
        'the table of ClickHouse is also used by another database, or one side was restored, so nothing is removed there. ' +
          '"milepost hits verify --adopt" makes the table that of this database if all rows are there; with "hits move --back", --adopt does so in any case',
      );
    await this.change();
  }

  /** From now on, the table is that of this database, and no other may remove rows of it. */
  async adopt(): Promise<void> {
    await this.write(await this.given.home.readMark());
  }

  /** The mark of the table. Undefined if the database has another. */
  private async find(): Promise<string | undefined> {
    const { home } = this.given;
    const known = await this.read();
    if (known.length === 0) return undefined;
    const mark = await home.readMark();
    if (known.includes(mark)) return mark;
    // Another process may have changed it meanwhile.
    const isCertain = isDeepStrictEqual(known, await this.read());
    if (isCertain && mark !== DISPUTED) await home.writeMark(DISPUTED);
    return undefined;
  }

  /** Whenever the process ends, the database knows the mark of the table. */
  private async write(before: string): Promise<void> {
    const { database, given } = this;
    const next = randomBytes(16).toString('hex');
    const note = (mark: string, following: string | null) =>
      database.execute('UPDATE hit_homes SET mark = ?, next_mark = ? WHERE number = ?', [
        ...[mark, following, given.number],
      ]);
    await note(before, next);
    await given.home.writeMark(next);
    await note(next, null);
  }

  private async read(): Promise<(string | null)[]> {
    const rows = await this.database.query<{ mark: string; next_mark: string | null }[]>(
      'SELECT mark, next_mark FROM hit_homes WHERE number = ?',
      [this.given.number],
    );
    return rows.flatMap(({ mark, next_mark }) => [mark, next_mark]);
  }
}
