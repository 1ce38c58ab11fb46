import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as ts from 'typescript';
import { readExpectedTables } from './schema';

/** Words that a database refuses as an identifier without quotes, each in some version. */
const RESERVED: Record<string, string> = {
  /**
   * MySQL 5.7 to 9.7: `information_schema.keywords` of 9.7 and words that its parser refuses in addition, and from
   * "Keywords and Reserved Words" of the manuals of 5.7, 8.0 and 8.4 words that were reserved there.
   */
  mysql: `
    accessible add admin all alter analyze and array as asc asensitive before between bigint binary blob both by
    call cascade case cast change char character check collate column condition constraint continue convert
    create cross cube cume_dist current_date current_time current_timestamp current_user cursor database
    databases day_hour day_microsecond day_minute day_second dec decimal declare default delayed delete
    dense_rank desc describe deterministic distinct distinctrow div double drop dual each else elseif empty
    enclosed escaped except exists exit explain external false fetch first_value float float4 float8 for force
    foreign from fulltext function generated get grant group grouping groups having high_priority
    hour_microsecond hour_minute hour_second if ignore in index infile inner inout insensitive insert int int1
    int2 int3 int4 int8 integer intersect interval into io_after_gtids io_before_gtids is iterate join
    json_table key keys kill lag last_value lateral lead leading leave left library like limit linear lines load
    localtime localtimestamp lock long longblob longtext loop low_priority manual master_bind
    master_ssl_verify_server_cert match maxvalue mediumblob mediumint mediumtext member middleint
    minute_microsecond minute_second mod modifies natural no_write_to_binlog not nth_value ntile null numeric of
    on optimize optimizer_costs option optionally or order out outer outfile over parallel partition
    percent_rank persist persist_only precision primary procedure purge qualify range rank read read_write reads
    real recursive references regexp release rename repeat replace require resignal restrict return revoke right
    rlike rollup row row_number rows schema schemas second_microsecond select sensitive separator set show
    signal smallint spatial specific sql sql_big_result sql_buffer_result sql_calc_found_rows sql_no_cache
    sql_small_result sqlexception sqlstate sqlwarning ssl starting stored straight_join sysdate system table
    tablesample terminated then tinyblob tinyint tinytext to trailing trigger true undo union unique unlock
    unsigned update usage use using utc_date utc_time utc_timestamp values varbinary varchar varcharacter
    varying virtual when where while window with write xor year_month zerofill`,
  /** MariaDB 10.6 to 12, beyond these: what the parser of 10.11 refuses, and the page "Reserved Words" of its manual. */
  mariadb: `
    conversion current_role delete_domain_id do_domain_ids general ignore_domain_ids ignore_server_ids
    master_demote_to_replica master_demote_to_slave master_heartbeat_period offset page_checksum parse_vcol_expr
    portion ref_system_id returning slow sql_cache stats_auto_recalc stats_persistent stats_sample_pages vector`,
  /** SQLite, beyond these: those of sqlite.org/lang_keywords.html that its parser refuses. */
  sqlite: `
    autoincrement commit deferrable escape indexed isnull nothing notnull raise transaction`,
};

const databasesOf = new Map<string, string>();
for (const [database, words] of Object.entries(RESERVED))
  for (const word of words.trim().split(/\s+/)) databasesOf.set(word, database);

const LOOKS_LIKE_SQL =
  /\b(SELECT|INSERT|REPLACE INTO|UPDATE|DELETE|FROM|JOIN|WHERE|ORDER BY|GROUP BY|CREATE|ALTER|AS|SUM(?=\()|MIN(?=\()|MAX(?=\()|COALESCE(?=\())\b/;
const QUOTED = /'[^']*'|"[^"]*"|`[^`]*`/g;
/** Keywords are written in capitals. */
const IDENTIFIER = /(?<![\w@])[A-Z]*[a-z]\w*/g;

/** The reserved words among the identifiers of a SQL text, each with the database that reserves it. */
function reservedIn(sql: string): string[] {
  if (!LOOKS_LIKE_SQL.test(sql)) return [];
  const words = sql.replace(QUOTED, ' ').match(IDENTIFIER) ?? [];
  return [...new Set(words)]
    .filter((word) => databasesOf.has(word.toLowerCase()))
    .map((word) => `${word} (${databasesOf.get(word.toLowerCase())})`);
}

/** The texts of a source, with a question mark for each expression in them. */
function textsOf(source: ts.SourceFile): { line: number; text: string }[] {
  const texts: { line: number; text: string }[] = [];
  const visit = (node: ts.Node): void => {
    const text = textOf(node);
    if (text !== undefined)
      texts.push({ line: source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1, text });
    ts.forEachChild(node, visit);
  };
  visit(source);
  return texts;
}

function textOf(node: ts.Node): string | undefined {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return node.text;
  if (ts.isTemplateExpression(node))
    return [node.head, ...node.templateSpans.map(({ literal }) => literal)].map(({ text }) => text).join('?');
  return undefined;
}

/** ClickHouse reserves no words. */
const OTHER_SQL = /^engine\/clickhouse\//;

it('no identifier in a SQL text of the sources is a reserved word', () => {
  const root = join(__dirname, '../..');
  const files = ['src', 'engine']
    .flatMap((house) =>
      readdirSync(join(root, house), { recursive: true, encoding: 'utf8' }).map((path) => join(house, path)),
    )
    .filter((path) => /\.tsx?$/.test(path) && !path.includes('.spec.') && !OTHER_SQL.test(path));
  const found = files.flatMap((path) =>
    textsOf(
      ts.createSourceFile(path, readFileSync(join(root, path), 'utf8'), ts.ScriptTarget.Latest),
    ).flatMap(({ line, text }) => reservedIn(text).map((word) => `${path}:${line} ${word}`)),
  );
  expect(files.length).toBeGreaterThan(100);
  expect(found).toEqual([]);
});

it('no table or column has a reserved name', async () => {
  const tables = (await readExpectedTables()).at(-1)!;
  const names = [...tables].flatMap(([table, columns]) => [table, ...columns]);
  expect(names.length).toBeGreaterThan(100);
  expect(names.filter((name) => databasesOf.has(name))).toEqual([]);
});

it.each([
  ['SELECT hits FROM (SELECT 1 AS hits) stored', ['stored (mysql)']],
  ['SELECT SUM(bytes) AS Rank FROM days', ['Rank (mysql)']],
  ['SELECT SUM(bytes) AS rank, MIN(day) AS offset FROM days', ['rank (mysql)', 'offset (mariadb)']],
  ['SELECT `rank`, "groups", \'of\' FROM days', []],
  ['from the first day to the last', []],
])('finds in %s: %j', (sql, words) => {
  expect(reservedIn(sql)).toEqual(words);
});
