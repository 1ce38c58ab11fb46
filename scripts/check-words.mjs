import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Words that this project avoids: use `like`, `with`, `some`, `known` and so on. */
const BANNED =
  /\bsuch as\b|(?<!\b(?:each|all|some|most|many|none|neither|one) )\bof which\b|\bso many\b|\bthat which\b|\b(?:is|are|was|were|be|been|being) told\b(?! (?:apart|to|otherwise)\b)|\buntold\b|\bstretch(?:es)?\b/gi;
const LISTED = ['ls-files', '--', '*.ts', '*.tsx', '*.mjs', '*.md', '*.json', '*.lua', '*.sh'];
const NOT_OURS = [':!package-lock.json', ':!bench/results', ':!scripts/check-words.mjs'];

const files = execFileSync('git', [...LISTED, ...NOT_OURS], { encoding: 'utf8' })
  .trim()
  .split('\n');
for (const file of files)
  for (const [index, line] of readFileSync(file, 'utf8').split('\n').entries())
    for (const [words] of line.matchAll(BANNED)) {
      console.error(`${file}:${index + 1}: avoid "${words}"`);
      process.exitCode = 1;
    }
