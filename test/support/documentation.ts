import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

export const ROOT = join(__dirname, '../..');

export interface Block {
  language: string;
  text: string;
  /** Marked in the line above it, with the reason. */
  isNotRun: boolean;
}

/** The code blocks of a page, as a reader would copy them. */
export function blocksOf(page: string): Block[] {
  const text = readFileSync(join(ROOT, page), 'utf8');
  const blocks = text.matchAll(/(?:^(_Not run by the tests[^\n]*:_)\n\n)?^```(\w+)\n(.*?)^```$/gms);
  return [...blocks].map(([, mark, language, text]) => ({
    language: language!,
    text: text!,
    isNotRun: mark !== undefined,
  }));
}

/** The block of a language that contains a text. */
export function blockWith(page: string, language: string, part: string): string {
  const found = blocksOf(page).filter(
    (block) => block.language === language && !block.isNotRun && block.text.includes(part),
  );
  if (found.length !== 1) throw new Error(`${page} has ${found.length} blocks of ${language} with ${part}`);
  return found[0]!.text;
}

/** Runs a block with the built command line, as after `npm run build`. */
export function runBlock(
  text: string,
  cwd: string,
  env: NodeJS.ProcessEnv,
): Promise<{ stdout: string; stderr: string }> {
  const npm = `npm() { "${process.execPath}" "${ROOT}/dist/src/cli.js" "\${@:5}"; }`;
  return promisify(execFile)('bash', ['--norc', '-euc', `${npm}\n${text}`], { cwd, env });
}
