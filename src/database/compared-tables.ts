import { type ColumnType, DataSource } from 'typeorm';
import { dialectOf } from '../../engine/database/dialect';
import { EXACT } from '../../engine/database/schemas';

const ON_SQLITE = 'TypeORM misreads the tables of SQLite: run this on MySQL or MariaDB.';
const BY_MIGRATIONS = 'Only migrations change tables: add one, and run "npm run cli -- migrate".';

/** The data source of TypeORM's command line. It compares the entities with the tables, but changes none. */
export class ComparedTables extends DataSource {
  override async initialize(): Promise<this> {
    await super.initialize();
    const createBuilder = this.driver.createSchemaBuilder.bind(this.driver);
    const refuse = () => Promise.reject(refusal(ON_SQLITE));
    if (dialectOf(this).oneConnection)
      this.driver.createSchemaBuilder = () => Object.assign(createBuilder(), { log: refuse });
    return this;
  }

  override synchronize(): Promise<void> {
    return Promise.reject(refusal(BY_MIGRATIONS));
  }

  /** Entities have types that TypeORM accepts for any database. Tables have those of their dialect. */
  protected override async buildMetadatas(): Promise<void> {
    await super.buildMetadatas();
    const { integer, bigint, longText, longBytes, exactText, exactName, text, bytes } =
      dialectOf(this).columns;
    const typeOf: Record<string, (length: number, charset?: string) => string> = {
      integer: () => integer,
      bigint: () => bigint,
      text: () => longText,
      blob: () => longBytes,
      varchar: (length, charset) => (charset === 'binary' ? bytes(length) : text(length)),
    };
    for (const column of this.entityMetadatas.flatMap(({ columns }) => columns)) {
      const isExact = column.collation === EXACT;
      const exactType = column.type === 'text' ? exactText : exactName;
      const type = isExact
        ? exactType
        : typeOf[column.type as string]!(Number(column.length), column.charset);
      column.type = /^\w+/.exec(type)![0].toLowerCase() as ColumnType;
      if (isExact) column.collation = /COLLATE (\w+)/.exec(type)?.[1];
    }
  }
}

/** TypeORM's command line prints the stack. */
function refusal(reason: string): Error {
  return Object.assign(new Error(reason), { stack: reason });
}
