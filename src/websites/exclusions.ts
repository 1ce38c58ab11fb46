import { NotAllowed } from '../common/fields';
import { isNetwork } from '../config/settings';

const MOST_LINES = 1000;
const LONGEST_NAME = 255;
const CONTROL = /[\u0000-\u001f\u007f]/;

/** IP addresses and CIDR ranges, one a line. */
export function addressLines(sent: string): string | null {
  return lines(sent, (line) =>
    isNetwork(line) ? undefined : 'is no IPv4 or IPv6 address and no CIDR range',
  );
}

/** Names of query parameters, one a line, `*` standing for any text. */
export function parameterLines(sent: string): string | null {
  return lines(sent, (line) => {
    if (/[\s&=#]/.test(line)) return 'is no name of a parameter: it has a blank or one of & = #';
    if (line.length > LONGEST_NAME) return `has more than ${LONGEST_NAME} characters`;
    return undefined;
  });
}

function lines(sent: string, problemOf: (line: string) => string | undefined): string | null {
  const kept: string[] = [];
  for (const [index, raw] of sent.split(/\r\n|\r|\n/).entries()) {
    const line = raw.trim();
    if (line === '') continue;
    const problem = CONTROL.test(line) ? 'has a control character' : problemOf(line);
    if (problem) throw new NotAllowed(`line ${index + 1}: ${quoted(line)} ${problem}`);
    kept.push(line);
  }
  if (kept.length > MOST_LINES) throw new NotAllowed('must have at most 1,000 lines');
  return kept.length === 0 ? null : kept.join('\n');
}

function quoted(line: string): string {
  return JSON.stringify(line.length > 60 ? `${line.slice(0, 60).toWellFormed()}…` : line);
}
