import { createHash } from 'node:crypto';
import type { QueryRunner, TableIndex } from 'typeorm';
import { sqliteOptions } from '../data-source-options';
import { migrations } from '.';

/** SHA-256 of the statements of each migration, on SQLite and on a server. A new migration adds its line. */
const FROZEN: Record<string, string> = {
  CreateTables1796000000000: '9808940c22e389a7077687f1eb75ce705bf1d969371af9716b9e55716e38cbc9',
  AddGoals1797000000000: '22d1b1a665f94e3d0bc7fea40897619fddbc518d071a99129827b0caa765f12e',
  AddAnnotations1797100000000: '9cb5fe7b39cd9637df38b18e4888e9983873a238d970d288f94152725d1f5208',
  AddWebhooks1797200000000: 'd0e13b3a728e99ef45b276efa69a4e60dcb5bbeceb759110216b4755b08b2249',
  AddAlerts1797300000000: '2493cd4cefae7f4c60c2831366dad241375e9f4c94f6ed4b6b7e3b5c78d233ef',
  AddLanguageOfUsers1797400000000: '2bda8c103e07080f26374ce31a96e7a7ff7b134d29b0b72239033542d4646cf5',
  AddPausesOfWebhooks1797500000000: 'a2bf1cf2e3ddde6deb48867b389bf5c8a53851ff1d00f23818f7022ca171b582',
  AddRegions1797600000000: '41b2d8b1b27e7e8afe1845fefd3e44e883e8711e626eccd0d932c0cffc2f3b53',
  AddSizesOfDeliveries1797750000000: 'c45908dee35cb87c3602e3f8fe3f2fb6ac380ca265dfa942b105c702b41b37fa',
  AddAskedDeliveries1797800000000: 'd59bc2c665f0ed81b5c3b39851389ce5cbc09012b67816f73ed54d7ac205c95a',
  AddDayBlocks1797930000000: '4a33070f675082e9d1ddba9a6f31ee31b37c8194938d1b098b60072cfbbe3d65',
  AddReportRecipients1797940000000: '7769be5a590a037c460e523396a3374bae069703b8e6b88540fa39fb401fc272',
  AddPageFilters1797950000000: 'ba98c9fb1b4b2b69ed3600117fa89b0ef402876db3c4b8a19758714bd134bf85',
  AddJobs1797960000000: '360fbcba8a4e105547a9889b344115b73780daeb94d1a70b3b013a61ebb29734',
  AddLeftOut1797965000000: 'f6c478543eee28d3cf20eff7ce72c7ef63a22b14aa031d4112a79ddb0dd885ec',
  AddExclusions1797966000000: 'cac84c8e7843137d213a7d0643203a799590f9e11c73f7d1e77a68ca39f22f75',
  AddCampaignIds1797970000000: '7883332809adc795618efb9350f89640177f87674620160c143e0b74529be9f9',
  AddTitles1797980000000: '37ed6f79a19261e065e594fc03052d6d0bc5975653bb234dd8fb44fa08ba7ba7',
  AddRowsOfHits1797990000000: '487a8ad79fd9cfbff843501c55d006937d56669cdec68572ea46b65dff106ed6',
  AddPurges1797995000000: '33d4fbd7d494c4ba193dea3d6cb04f8ed9051c3a0058c95f7925bea051b63a90',
  AddStandardSecrets1798000000000: '00e82bd5cd51549bebd6d33ccb48d8a594516e6264f6303942a2a8bcd2297860',
  AddWebhookFormats1798010000000: '01ad5b36dde3c3fc92499595d7ff2e430d9a179422904d5f9af4184c3df90514',
  AddHomes1798120000000: '53efd6cbe44609e04892099c893c49e0229f641c13db7baa7a120bede4a252c4',
};

const DATABASES = [
  sqliteOptions({ kind: 'sqlite', path: ':memory:' }, 'write', []),
  { type: 'mariadb', driver: { server: { hasRowAlias: false } } },
];

/** The statements of a migration on an empty database. */
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
