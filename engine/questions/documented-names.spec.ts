import { readFileSync, writeFileSync } from 'node:fs';
import { FIELD_NAMES, FIELDS, ROLLUP_FIELDS } from '../hits/fields';
import { HIT_COLUMNS } from '../hits/files/hit-lines';
import { explanationOf, isStatName, type ListedName } from './listed-names';
import { FIXED_NAMES, isMoment, originOf, PROPERTY_NAME, type QueryName } from './parse/names';

const NAMES: QueryName[] = [...FIXED_NAMES, PROPERTY_NAME];
const FURTHER = NAMES.filter((name) => !isStatName(name) && !isMoment(name));

const counting = (names: readonly ListedName['name'][]) => [
  ['name', 'one entry counts'],
  ...names.map((name) => [code(name), explanationOf(name)]),
];

/** The tables that follow from the declarations, by the text in front of them. */
const TABLES: [page: string, before: string, rows: string[][]][] = [
  ['counting', 'the limits of this.', counting(['pageview', 'visitor', ...ROLLUP_FIELDS, 'dropped'])],
  ['counting', 'when someone asks for them:', counting(FURTHER)],
  [
    'counting',
    'Milepost keeps of a hit, beside its moment:',
    [
      ['field', 'source'],
      ...FIELD_NAMES.map((name) => [
        code(HIT_COLUMNS.find((column) => column === name) ?? 'props'),
        FIELDS[name].from,
      ]),
    ],
  ],
  [
    'api',
    'a visitor if one hit of the day is.',
    [
      ['names', 'look at', 'example'],
      of(
        'visitor',
        'the visitor, by the first hit of the day',
        '`country==DE`: all hits of visitors from Germany',
      ),
      of(
        'acquisition',
        'all that the visitor brought that day: one is enough',
        '`referrer!=google.com`: all hits of visitors who never came from it',
      ),
      of(
        'visit',
        'the visit: its first and its last page view',
        '`entry_page==/`: all hits of visits that began at `/`',
      ),
      of('hit', 'the hit itself; an event has the page it happened on', '`event==`: page views'),
      of(
        'moment',
        "the hit itself, in the service's time zone",
        '`weekday==6,weekday==7`: weekends (`1` is Monday); `hour==2026-10-25T02:00+02:00`, `week==2026-W43`',
      ),
    ],
  ],
];

function of(level: ReturnType<typeof originOf>['level'], lookAt: string, example: string): string[] {
  const names = NAMES.filter((name) => originOf(name).level === level);
  return [names.map(code).join(', '), lookAt, example];
}

function code(name: string): string {
  return `\`${name}\``;
}

function tableOf(rows: string[][]): string {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  const [head, ...others] = rows.map((row) => line(row.map((cell, column) => cell.padEnd(widths[column]!))));
  return [head, line(widths.map((width) => '-'.repeat(width))), ...others].join('');
}

function line(cells: string[]): string {
  return `| ${cells.join(' | ')} |\n`;
}

it.each(TABLES)('of docs/%s.md are documented as they are declared, after "%s"', (page, before, rows) => {
  const file = `docs/${page}.md`;
  const [start, end] = bounds(readFileSync(file, 'utf8'), before);
  const text = readFileSync(file, 'utf8');
  if (process.env.UPDATE_NAMES) writeFileSync(file, text.slice(0, start) + tableOf(rows) + text.slice(end));
  const written = readFileSync(file, 'utf8');
  expect(written.slice(...bounds(written, before))).toBe(tableOf(rows));
});

/** The begin and the end of the table that follows a text. */
function bounds(text: string, before: string): [number, number] {
  const start = text.indexOf(`${before}\n\n|`) + before.length + 2;
  return [start, text.indexOf('|\n\n', start) + 2];
}
