import { VISITOR_BYTES } from '../../ground/visitor-bytes';
import { CodeList, type Codes } from '../../hits/codes/code-list';
import { type ColumnCodes, websiteCodes } from '../../hits/codes/column-codes';
import { type ColumnName, COLUMNS } from '../../hits/hit-columns';
import type { DecodedTexts } from '../segments/part-texts';
import type { HitBlock } from '../../hits/hit-block';
import type { TextCodes, WebsiteTexts } from '../../hits/codes/text-codes';
import type { HitColumns, HitRange } from '../batches/batch';
import { yieldIfNeeded } from '../../ground/time/yield-if-needed';
import { putCodes } from '../encoding/codes-among';

/** The limit of a step, except for a visitor with more hits. */
const HITS_AT_ONCE = 16 * 1024;

interface Range {
  from: number;
  before: number;
}

/** The hits of a block, in its order, some visitors at a time. All columns must be in the block. */
export function* columnsOfBlock(
  block: HitBlock,
  known: WebsiteTexts,
  hashes: Buffer | undefined,
  hitsAtOnce = HITS_AT_ONCE,
): Generator<HitColumns> {
  const { begins, visitors } = block;
  const texts = textsOf(block, known);
  for (let from = 0; from < visitors;) {
    let before = from + 1;
    while (before < visitors && begins[before + 1]! - begins[from]! <= hitsAtOnce) before++;
    const own = hashes?.subarray(VISITOR_BYTES * from, VISITOR_BYTES * before);
    yield new ColumnsOfVisitors(block, { from, before }, texts, own);
    from = before;
  }
}

/** The text codes of each whole column, decoded on demand. */
function textsOf(
  { codes, hits, visitors }: HitBlock,
  known: WebsiteTexts,
): (name: ColumnName) => DecodedTexts {
  const decoded = new Map<ColumnName, DecodedTexts & { rows: Codes }>();
  return (name) => {
    let own = decoded.get(name);
    if (!own) {
      const rows = websiteCodes(codes[name]!, COLUMNS[name].of === 'hit' ? hits : visitors);
      decoded.set(name, (own = { texts: known.of[name].texts.slice(1) as string[], rows }));
    }
    return own;
  };
}

/** Each visitor is a visitor row. */
class ColumnsOfVisitors implements HitColumns {
  readonly rowOf: Uint32Array;
  private readonly ofHits: Range;

  constructor(
    private readonly block: HitBlock,
    private readonly ofVisitors: Range,
    private readonly all: (name: ColumnName) => DecodedTexts,
    readonly hashes: Buffer | undefined,
  ) {
    const { begins } = block;
    const { from, before } = ofVisitors;
    this.ofHits = { from: begins[from]!, before: begins[before]! };
    this.rowOf = new Uint32Array(this.hits);
    for (let visitor = from; visitor < before; visitor++)
      this.rowOf.fill(visitor - from, begins[visitor]! - begins[from]!, begins[visitor + 1]! - begins[from]!);
  }

  get hits(): number {
    return this.ofHits.before - this.ofHits.from;
  }

  get rows(): number {
    return this.ofVisitors.before - this.ofVisitors.from;
  }

  get isKnown(): Codes {
    return some(this.block.isKnown, this.ofVisitors);
  }

  get isDirect(): Codes {
    return some(this.block.isDirect, this.ofVisitors);
  }

  moments(): Uint32Array {
    return some(this.block.at, this.ofHits);
  }

  texts(name: ColumnName): DecodedTexts {
    const { texts, rows } = this.all(name);
    return { texts, rows: some(rows as Codes, COLUMNS[name].of === 'hit' ? this.ofHits : this.ofVisitors) };
  }
}

function some<T extends Codes>(codes: T, { from, before }: Range): T {
  return codes.subarray(from, before) as T;
}

/** Orders one column like the block. Its rows are in the order of acceptance; `accepted` has the row of each place. */
export async function orderByHits(
  pieces: AsyncGenerator<{ hits: HitColumns; range: HitRange }>,
  name: ColumnName,
  texts: TextCodes,
  accepted: Uint32Array,
  check: (hits: number) => void,
): Promise<ColumnCodes> {
  const codes = new CodeList();
  let first = 0;
  for await (const { hits, range } of pieces) {
    const own = hits.codes?.(name) ?? hits.texts(name);
    if (own) putCodes(codes, own, texts, first, range);
    first += range.before - range.from;
    check(first);
    await yieldIfNeeded();
  }
  return { rows: codes.packed(accepted.length, accepted), codeOf: undefined };
}
