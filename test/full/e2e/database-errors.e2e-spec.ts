import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Connection, createConnection } from 'mysql2/promise';
import { Settings } from '../../../src/config/settings';
import type { MysqlAddress } from '../../../engine/database/connections/address';
import { errorCode } from '../../../engine/ground/error-code';
import { connect } from '../../../src/database/connect';
import { databaseOfThread, readerOfThread } from '../../../engine/database/connections/thread-database';
import type { Database } from '../../../engine/database/database';
import { EntityDatabase } from '../../../src/database/entity-database';
import { DatabaseUnavailable } from '../../../engine/database/errors';
import { changedBy, type Transaction } from '../../../engine/database/rows';
import { type FreshDatabase, freshDatabase, onServer } from '../../support/fresh-database';
import { DatabaseServer } from '../../support/database-server';
import { until } from '../../support/until';

const PLAIN = 'CREATE TABLE notes (id INTEGER PRIMARY KEY, text VARCHAR(20))';

const addressOf = (url: string) => new Settings({ DATABASE_URL: url }).database;

async function opened(url: string): Promise<EntityDatabase> {
  return EntityDatabase.over(await connect(addressOf(url), []));
}

interface Opened {
  database: Database;
  close: () => unknown;
}

const OPENINGS: Record<string, (url: string) => Promise<Opened>> = {
  'with entities': async (url) => {
    const database = await opened(url);
    return { database, close: () => database.writer.destroy() };
  },
  'in a thread': (url) => databaseOfThread(addressOf(url) as MysqlAddress),
};

const insert = (id: number) => (manager: Transaction) =>
  manager.query('INSERT INTO notes (id, text) VALUES (?, ?)', [id, 'x']);

const standStill = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

async function idsIn(database: Database): Promise<number[]> {
  const rows = await database.read((manager) =>
    manager.query<{ id: number }[]>('SELECT id FROM notes ORDER BY id'),
  );
  return rows.map(({ id }) => Number(id));
}

describe('an error that is not the database being away', () => {
  let fresh: FreshDatabase;
  let database: EntityDatabase;
  beforeAll(async () => {
    fresh = await freshDatabase();
    database = await opened(fresh.url);
    await database.writer.query(PLAIN);
  });
  afterAll(async () => {
    await database.writer.destroy();
    await fresh.drop();
  });

  it('is thrown as it is, and nothing of its transaction stays', async () => {
    await database.write(insert(1));
    const twice = database.write(async (manager) => {
      await insert(2)(manager);
      await insert(1)(manager);
    });
    const duplicate: unknown = await twice.catch((error: unknown) => error);
    expect(database.isDuplicate(duplicate)).toBe(true);
    const wrong = database.write((manager) => manager.query('INSERT INTO nothing VALUES (1)'));
    await expect(wrong).rejects.not.toBeInstanceOf(DatabaseUnavailable);
    expect(await idsIn(database)).toEqual([1]);
  });
});

describe.each(Object.entries(OPENINGS))('%s,', (_, open) =>
  onServer('a server', () => {
    let server: DatabaseServer;
    let admin: Connection;
    let database: Database;
    let close: () => unknown;

    beforeAll(async () => {
      server = await new DatabaseServer().start();
      admin = await createConnection(server.url);
      for (const statement of [
        'CREATE DATABASE milepost',
        "CREATE USER plain@'%' IDENTIFIED BY 'plain' WITH MAX_USER_CONNECTIONS 4",
        "GRANT ALL ON milepost.* TO plain@'%'",
        'USE milepost',
        PLAIN,
      ])
        await admin.query(statement);
    });
    beforeEach(async () => {
      await admin.query('DELETE FROM notes');
      ({ database, close } = await open(`${server.url.replace('milepost:milepost', 'plain:plain')}milepost`));
    });
    afterEach(() => close());
    afterAll(async () => {
      await admin.end();
      await server.remove();
    });

    const idOf = async (manager: Transaction) => {
      const [row] = await manager.query<{ id: number }[]>('SELECT CONNECTION_ID() AS id');
      return Number(row!.id);
    };
    const running = async (): Promise<{ Id: number; User: string; Info: string | null }[]> =>
      (await admin.query('SHOW PROCESSLIST'))[0] as never;
    const untilGone = (id: number) => until(async () => !(await running()).some(({ Id }) => Id === id));

    async function expectUnavailable(work: (manager: Transaction) => Promise<unknown>): Promise<void> {
      await expect(database.write(work)).rejects.toBeInstanceOf(DatabaseUnavailable);
      await database.write(insert(100));
      expect(await idsIn(database)).toEqual([100]);
    }

    it('that killed a connection between two statements is unavailable, and the next write works', () =>
      expectUnavailable(async (manager) => {
        await insert(1)(manager);
        const id = await idOf(manager);
        await admin.query(`KILL ${id}`);
        await untilGone(id);
        await insert(2)(manager);
      }));

    it('that killed a connection with a statement under way is unavailable', () =>
      expectUnavailable(async (manager) => {
        const id = await idOf(manager);
        const sleeping = manager.query('SELECT SLEEP(20)');
        await Promise.all([sleeping, killed(id)]);
        await insert(2)(manager);
      }));

    async function killed(id: number): Promise<void> {
      await until(async () =>
        (await running()).some(({ Id, Info }) => Id === id && /SLEEP/.test(Info ?? '')),
      );
      await admin.query(`KILL ${id}`);
    }

    it('that killed the connection of a read is read again over another one', async () => {
      let reads = 0;
      const read = database.read(async (manager) => {
        const id = await idOf(manager);
        if (++reads === 1) await admin.query(`KILL ${id}`).then(() => untilGone(id));
        return manager.query('SELECT 1 AS one');
      });
      expect(await read).toHaveLength(1);
      expect(reads).toBe(2);
    });

    it('whose table was rebuilt while a read had its snapshot is read again', async () => {
      await database.write(insert(1));
      await admin.query('CREATE TABLE others (id INTEGER PRIMARY KEY)');
      let reads = 0;
      const read = database.read(async (manager) => {
        await manager.query('SELECT * FROM notes');
        if (++reads === 1) await admin.query('ALTER TABLE others ADD COLUMN text INTEGER, ALGORITHM = COPY');
        return manager.query('SELECT * FROM others');
      });
      expect(await read).toEqual([]);
      expect(reads).toBe(2);
      await admin.query('DROP TABLE others');
    });

    it('that ended a session which stood still is unavailable', () =>
      expectUnavailable(async (manager) => {
        await insert(1)(manager);
        await manager.query('SET SESSION wait_timeout = 1');
        await untilGone(await idOf(manager));
        await insert(2)(manager);
      }));

    it('that ended a session while this process stood still is unavailable', () =>
      expectUnavailable(async (manager) => {
        await insert(1)(manager);
        await manager.query('SET SESSION wait_timeout = 1');
        const sleeping = manager.query('SELECT SLEEP(0.3)');
        await nextTurn();
        standStill(3000);
        await sleeping;
      }));

    it('that waits for longer than for a write while a read works on what it found', async () => {
      const patienceOf = async (manager: Transaction) => {
        const [row] = await manager.query<{ seconds: number }[]>('SELECT @@wait_timeout AS seconds');
        return Number(row!.seconds);
      };
      expect([await database.write(patienceOf), await database.read(patienceOf)]).toEqual([4, 60]);
    });

    it('that became read-only is unavailable, and takes writes once it may', async () => {
      await database.write(insert(1));
      await admin.query('SET GLOBAL read_only = ON');
      await expect(database.write(insert(2))).rejects.toBeInstanceOf(DatabaseUnavailable);
      await expect(database.execute('DELETE FROM notes', [])).rejects.toBeInstanceOf(DatabaseUnavailable);
      expect(await idsIn(database)).toEqual([1]);
      await admin.query('SET GLOBAL read_only = OFF');
      await database.write(insert(2));
      expect(await idsIn(database)).toEqual([1, 2]);
    });

    it.each([
      ['must be changed', 'PASSWORD EXPIRE'],
      ['is another one', "IDENTIFIED BY 'other'"],
    ])('whose password %s is unavailable, until it is what it was', async (_, change) => {
      await admin.query(`ALTER USER plain@'%' ${change}`);
      try {
        // Those that are idle may end by themselves meanwhile.
        for (const { Id, User } of await running())
          if (User === 'plain') await admin.query(`KILL ${Id}`).catch(() => untilGone(Id));
        await expect(database.write(insert(1))).rejects.toBeInstanceOf(DatabaseUnavailable);
        await expect(database.execute('DELETE FROM notes', [])).rejects.toBeInstanceOf(DatabaseUnavailable);
        await expect(idsIn(database)).rejects.toBeInstanceOf(DatabaseUnavailable);
      } finally {
        await admin.query("ALTER USER plain@'%' IDENTIFIED BY 'plain'");
      }
      await database.write(insert(2));
      expect(await idsIn(database)).toEqual([2]);
    });

    it('that gave up waiting for a lock is asked again, from the beginning', async () => {
      await database.write(insert(1));
      await admin.query('START TRANSACTION');
      await admin.query('SELECT * FROM notes WHERE id = 1 FOR UPDATE');
      let attempts = 0;
      await database.write(async (manager) => {
        if (++attempts === 2) await admin.query('ROLLBACK');
        await manager.query('SET SESSION innodb_lock_wait_timeout = 1');
        await insert(2)(manager);
        await manager.query('UPDATE notes SET text = ? WHERE id = 1', ['changed']);
      });
      expect(attempts).toBe(2);
      expect(await idsIn(database)).toEqual([1, 2]);
    });

    it('that keeps a lock is unavailable once the patience is over', async () => {
      await database.write(insert(1));
      await admin.query('START TRANSACTION');
      await admin.query('SELECT * FROM notes WHERE id = 1 FOR UPDATE');
      const update = (manager: Transaction) => manager.query('UPDATE notes SET text = NULL WHERE id = 1');
      await expect(database.write(update, 1000)).rejects.toBeInstanceOf(DatabaseUnavailable);
      await admin.query('ROLLBACK');
      await database.write(update);
    });

    /** The number of connections that the server has refused since its start. */
    const refused = async () => {
      const [rows] = await admin.query(
        "SHOW GLOBAL STATUS WHERE Variable_name IN ('Aborted_connects', 'Connection_errors_max_connections')",
      );
      return (rows as { Value: string }[]).reduce((sum, { Value }) => sum + Number(Value), 0);
    };

    /** Holds the connections of some writes until another write is refused. */
    async function moreWritesThanConnections(): Promise<void> {
      const before = await refused();
      const work = (id: number) => async (manager: Transaction) => {
        await insert(id)(manager);
        await until(async () => (await refused()) > before);
      };
      await Promise.all([1, 2, 3, 4, 5, 6].map((id) => database.write(work(id))));
    }

    it('that allows a user few connections is asked again', async () => {
      await moreWritesThanConnections();
      expect(await idsIn(database)).toEqual([1, 2, 3, 4, 5, 6]);
    });

    it('that allows few connections in all is asked again', async () => {
      await admin.query('SET GLOBAL max_connections = 10');
      const others: Connection[] = [];
      for (let taken = (await running()).length; taken < 9; taken++)
        others.push(await createConnection(server.url));
      try {
        await moreWritesThanConnections();
        expect(await idsIn(database)).toEqual([1, 2, 3, 4, 5, 6]);
      } finally {
        await Promise.all(others.map((other) => other.end()));
        await admin.query('SET GLOBAL max_connections = 400');
      }
    });

    it('that is sent too large a packet refuses it, and the next write works', async () => {
      await admin.query('SET GLOBAL max_allowed_packet = 1048576');
      const own = await open(`${server.url}milepost`);
      const large = own.database.write((manager) =>
        manager.query('SELECT LENGTH(?)', [Buffer.alloc(8_000_000)]),
      );
      await expect(large).rejects.toThrow();
      await own.database.write(insert(1));
      expect(await idsIn(own.database)).toEqual([1]);
      await own.close();
    });

    it('counts the rows that a statement found, whether they changed or not', async () => {
      const changed = await database.write(async (manager) => [
        await changedBy(manager, "INSERT INTO notes (id, text) VALUES (1, 'x'), (2, 'x')", []),
        await changedBy(manager, "INSERT IGNORE INTO notes (id, text) VALUES (1, 'y'), (3, 'x')", []),
        await changedBy(manager, "UPDATE notes SET text = 'x' WHERE id < ?", [3]),
        await changedBy(manager, 'DELETE FROM notes WHERE id = ?', [2]),
        await changedBy(manager, 'DELETE FROM notes WHERE id = ?', [4]),
      ]);
      expect(changed).toEqual([2, 1, 2, 1, 0]);
      expect(await database.execute("UPDATE notes SET text = 'z'", [])).toBe(2);
      expect(await idsIn(database)).toEqual([1, 3]);
    });

    it('takes no statement of a transaction that is over', async () => {
      let left: Transaction | undefined;
      await database.write(async (manager) => {
        left = manager;
        await insert(1)(manager);
      });
      await expect(insert(2)(left!)).rejects.toThrow();
      expect(await idsIn(database)).toEqual([1]);
    });
  }),
);

onServer('a server that does not answer', () => {
  let server: DatabaseServer;
  beforeAll(async () => void (server = await new DatabaseServer().start()));
  afterAll(() => server.remove());

  it('leaves no query behind that waits for it', async () => {
    const url = `${server.url}mysql`;
    const database = await opened(url);
    const ofThread = await readerOfThread(addressOf(url), 1);
    const counting = await databaseOfThread(addressOf(url) as MysqlAddress);
    const left: Promise<string>[] = [];
    const reads = [database, ofThread, counting.database].map((reader) =>
      reader.read(async (own) => {
        left.push(own.query<never>('SELECT SLEEP(600)').catch(errorCode));
        await left.at(-1);
      }, 4000),
    );
    for (const outcome of await Promise.allSettled(reads))
      expect(outcome).toMatchObject({ reason: expect.any(DatabaseUnavailable) as unknown });
    expect(await Promise.all(left)).toEqual(['ECONNABORTED', 'ECONNABORTED', 'ECONNABORTED']);
    await database.writer.destroy();
    counting.close();
  });
});
