import { unescape } from 'node:querystring';

/** Whether a query parameter of this decoded name is left out. */
export type ParameterRules = (name: string) => boolean;

/** Reads names of query parameters, one a line and escaped as in an address, `*` standing for any text. */
export function compileParameters(lines: string | null): ParameterRules {
  const names = new Set<string>();
  const patterns: string[][] = [];
  for (const line of lines?.split('\n') ?? []) {
    const pieces = line.split('*').map(decoded);
    if (pieces.length === 1) names.add(pieces[0]!);
    else patterns.push(pieces);
  }
  return (name) => names.has(name) || patterns.some((pieces) => matches(name, pieces));
}

/** Broken escapes stay as they are. */
export function decoded(text: string): string {
  return /[%+]/.test(text) ? unescape(text.replaceAll('+', ' ')) : text;
}

/** The first place of each piece is always the best one, so nothing is ever tried twice. */
function matches(name: string, pieces: string[]): boolean {
  const first = pieces[0]!;
  const last = pieces.at(-1)!;
  const end = name.length - last.length;
  if (end < first.length || !name.startsWith(first) || !name.endsWith(last)) return false;
  let position = first.length;
  for (const piece of pieces.slice(1, -1)) {
    const found = name.indexOf(piece, position);
    if (found < 0) return false;
    position = found + piece.length;
  }
  return position <= end;
}
