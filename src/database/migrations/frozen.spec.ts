import { createHash } from 'node:crypto';
import type { QueryRunner, TableIndex } from 'typeorm';
import { sqliteOptions } from '../data-source-options';
import { migrations } from '.';

/** SHA-256 of the statements of each migration, on SQLite and on a server. A new migration adds its line. */
const FROZEN: Record<string, string> = {
  CreateTables1795132800000: 'efc2d6b64ea7a39febbe6b50e6d768006f941e44fce582e0cd17f54d50a2ecd8',
  CountEvents1795136400000: '7f27d8a5bba9d554680b93c65f260b58ad9471b2742f7bc5ef15de02f06df61a',
  PackClosedDays1795305600000: '71a578c8deea64c7d6065e20e2570e90dbf17ea7df50a0ebba1005603bf2a821',
  ShareRequestCounts1795341001000: '8f2f642ff36546225b65633e4604417b33ebb72948c1d3be60c494ad213a1a63',
  RepeatStores1795341002000: 'a1f688f7389d540945ad760f60bb3759a8d956eb4fa7b77da3958a617e051a78',
  LimitKeys1795341003000: '5b744f60735628305ce3fd0a2e3de32ce396a020653b865adb0cdbe04c3bcaae',
  ReportDeliveries1795345000000: '4f341afdf4387439aaa1e41c247652bc1025c885cb8fca1bf7ec69bf645ba96b',
  PropertyNames1795345100000: '13c2a3263050515d90882a6fb37c99465bcc66c7d64578bd47d652c52a39387c',
  VersionAccess1795346000000: '6ea6e437807bf3e28d59050dd636de5f58b9dd17642cb008b1185fe415e627ab',
  EndedSessions1795347000000: '361349dd8a43698a9558c57afc4b84ad74e3acd64eef5fa9bc3c21d57a52d9b5',
  CollectedNames1795348000000: 'a0b88fd709768f99068fdfce93a4ad0d98fe326bb2dedf5fa96ba590e336fcc1',
  ShareFilters1795349000000: '5e8f7b6f0b1831503d41e9d2d3736b14bcf6e49ed0f05e8cdbf213f985a0deef',
};

const DATABASES = [
  sqliteOptions({ kind: 'sqlite', path: ':memory:' }, 'write', []),
  { type: 'mariadb', driver: { server: { hasRowAlias: false } } },
];

/** What a migration asks of a database that has nothing of it yet. */
async function statementsOf(up: (runner: QueryRunner) => Promise<void>, options: unknown): Promise<string[]> {
  const statements: string[] = [];
  const record = (...statement: unknown[]) => {
    statements.push(JSON.stringify(statement).replaceAll(/(\\n|\s)+/g, ' '));
    return Promise.resolve();
  };
  await up({
    dataSource: { options },
    query: record,
    hasColumn: (...column: unknown[]) => record('has column', ...column).then(() => false),
    getTable: (name: string) => record('get table', name).then(() => ({ name, indices: [] })),
    createIndex: (table: { name: string }, { name, columnNames, isUnique }: TableIndex) =>
      record('create index', table.name, name, columnNames, isUnique),
  } as unknown as QueryRunner);
  return statements;
}

it('are in the order in which they are applied', () => {
  const moments = migrations.map(({ name }) => Number(/\d{13}$/.exec(name)![0]));
  expect(moments).toEqual([...moments].sort((a, b) => a - b));
});

it('are never changed once a database may have them: add a new one instead', async () => {
  const hashes: Record<string, string> = {};
  for (const Migration of migrations) {
    const hash = createHash('sha256');
    for (const options of DATABASES)
      for (const statement of await statementsOf((runner) => new Migration().up(runner), options))
        hash.update(statement);
    hashes[Migration.name] = hash.digest('hex');
  }
  expect(hashes).toEqual(FROZEN);
});
