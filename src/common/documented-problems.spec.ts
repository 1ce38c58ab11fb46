import { readFileSync, writeFileSync } from 'node:fs';
import { PROBLEM_CODES } from '../../engine/ground/errors';
import { PROBLEM_KINDS } from './problems';

const FILE = 'docs/problems.md';

it('has a part for each code in docs/problems.md, as declared', () => {
  const parts = PROBLEM_CODES.map((code) => {
    const [status, about] = PROBLEM_KINDS[code];
    return `## \`${code}\`\n\n${wrapped(`Status ${status}. ${about}`)}\n`;
  });
  const [intro] = readFileSync(FILE, 'utf8').split('\n## ');
  const text = `${intro}\n${parts.join('\n')}`;
  if (process.env.UPDATE_NAMES) writeFileSync(FILE, text);
  expect(readFileSync(FILE, 'utf8')).toBe(text);
});

/** As Prettier breaks prose. */
function wrapped(text: string): string {
  return text.replaceAll(/(.{1,120})(?: |$)/g, '$1\n').trimEnd();
}
