import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

/** Words that this project avoids: use `with`, `some`, `known` and so on. */
const BANNED =
  /(?<!\b(?:each|all|some|most|many|none|neither|one) )\bof which\b|\bso many\b|\bthat which\b|\b(?:is|are|was|were|be|been|being) told\b(?! (?:apart|to|otherwise)\b)|\buntold\b|\bstretch(?:es)?\b/gi;
/** What readers see names examples with `such as`. */
const BEFORE_EXAMPLES = /, like\b/;
/** Signs that look different in each font. */
const SIGNS = /[★☆✓✔▲▼↑↓]/;
const READ = /\.md$|\/language\//;
const LISTED = ['*.ts', '*.tsx', '*.mjs', '*.md', '*.json', '*.lua', '*.sh'];
const NOT_OURS = [':!package-lock.json', ':!bench/results', ':!scripts/check-words.mjs'];

const listed = (...patterns) =>
  execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '--', ...patterns], {
    encoding: 'utf8',
  })
    .trim()
    .split('\n')
    .filter((file) => existsSync(file));
const known = listed();

const foldersOfSrc = new Set(known.flatMap((file) => /^src\/([^/]+)\//.exec(file)?.[1] ?? []));
const FOLDERS = ['src', 'engine', 'test', 'web', 'bench', 'docs', 'scripts', 'clients', ...foldersOfSrc].join(
  '|',
);
/** The path of a file or folder. The end of the file's name may be missing. */
const PATH = new RegExp(`(?<=\`)(?:${FOLDERS})/[^\\s\`]*`, 'g');
/** The end of the path of a source. */
const SOURCE = /(?<![\w/.*{},-])[\w/*{},-][\w/.*{},-]*\.tsx?\b/g;

/** `{a,b}` is one of two names. */
function eachOf(path) {
  const [braces, names] = /{([^}]*)}/.exec(path) ?? [];
  return braces ? names.split(',').flatMap((name) => eachOf(path.replace(braces, name))) : [path];
}

/** `*` is any name. */
function exists(begin, path, end) {
  const escaped = path.replace(/\/$/, '').replace(/[.+?^$()|[\]\\]/g, '\\$&');
  const names = escaped.replace(/\*+/g, (stars) => (stars === '*' ? '[^/]*' : '.*'));
  const expression = new RegExp(begin + names + end);
  return known.some((file) => expression.test(file));
}

function missingPaths(line) {
  const pathsOf = (expression) => [...line.matchAll(expression)].flatMap(([path]) => eachOf(path));
  return [
    ...pathsOf(PATH).filter((path) => !exists('^(?:src/)?', path, '(?:$|[/.])')),
    ...pathsOf(SOURCE).filter((path) => !exists('(?:^|/)', path, '$')),
  ];
}

function fail(file, index, message) {
  console.error(`${file}:${index + 1}: ${message}`);
  process.exitCode = 1;
}

for (const file of listed(...LISTED, ...NOT_OURS))
  for (const [index, line] of readFileSync(file, 'utf8').split('\n').entries()) {
    for (const [words] of line.matchAll(BANNED)) fail(file, index, `avoid "${words}"`);
    if (READ.test(file) && BEFORE_EXAMPLES.test(line)) fail(file, index, 'write "such as" before examples');
    if (file.endsWith('.md'))
      for (const path of missingPaths(line)) fail(file, index, `there is no "${path}"`);
  }

for (const file of listed('web/*.ts', 'web/*.tsx', 'web/*.css'))
  for (const [index, line] of readFileSync(file, 'utf8').split('\n').entries())
    if (SIGNS.test(line)) fail(file, index, 'draw the sign with `Sign`');
