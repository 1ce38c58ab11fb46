import { unescape } from 'node:querystring';
import { HashedTexts } from '../../../engine/ground/lists/hashed-texts';

/** More steps than this take some milliseconds. */
const MAX_STEPS = 200_000;
const CHARACTERS_PER_STEP = 32;
const BYTES_PER_PIECE = 50;
/** Longer lists are divided at each use, because all of their pieces would take more memory than there is for rules. */
const MAX_DIVIDED = 10_000;

/** Names of excluded query parameters: one per line, escaped as in an address, with `*` as a wildcard. */
export class ParameterRules {
  private readonly names: HashedTexts;
  /** Patterns with wildcards, as text or divided into the pieces between the wildcards. */
  private readonly patterns: readonly (string | string[])[];
  private readonly pieces: number;
  private readonly excludesAll: boolean;

  constructor(lines: string | null) {
    const rules = lines?.split('\n') ?? [];
    const patterns = rules.filter((line) => line.includes('*'));
    this.names = new HashedTexts(rules.filter((line) => !line.includes('*')).map(decoded));
    this.pieces = patterns.reduce((sum, line) => sum + line.split('*').length, 0);
    this.excludesAll = patterns.some((line) => /^\*+$/.test(line));
    this.patterns = this.pieces > MAX_DIVIDED ? patterns : patterns.map(piecesOf);
  }

  /** The approximate size in memory. */
  get bytes(): number {
    const texts = this.patterns.flat();
    const ofTexts = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
    return this.names.bytes + BYTES_PER_PIECE * texts.length + ofTexts;
  }

  /** Expects a decoded name. */
  excludes(name: string): boolean {
    return (
      this.excludesAll ||
      this.names.has(name) ||
      this.patterns.some((pattern) => matches(name, piecesOf(pattern)))
    );
  }

  /** Tells whether it would take too long to match this number of names against all wildcards. */
  areTooManyFor(names: number, characters: number): boolean {
    if (this.excludesAll) return false;
    return this.pieces * names + (this.patterns.length * characters) / CHARACTERS_PER_STEP > MAX_STEPS;
  }
}

function piecesOf(pattern: string | string[]): string[] {
  return typeof pattern === 'string' ? pattern.split('*').map(decoded) : pattern;
}

/** Leaves broken escapes unchanged. */
export function decoded(text: string): string {
  return /[%+]/.test(text) ? unescape(text.replaceAll('+', ' ')) : text;
}

/** The first place of each piece is always the best one, so no backtracking is needed. */
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
