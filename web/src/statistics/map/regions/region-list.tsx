import { useState } from 'preact/hooks';
import { numberText, shareText, shortNumberText } from '../../../shared/format';
import { headingOf } from '../../../shared/language/value-labels';
import { texts } from '../../../shared/texts';
import { linkToFilters } from '../../filters/add-button';
import type { Filter } from '../../filters/filters';
import type { RegionRow } from './rows';

interface Props {
  rows: readonly RegionRow[];
  whole: number | undefined;
  /** Undefined if a row cannot be filtered by. */
  filtersFor: (row: RegionRow) => Filter[] | undefined;
}

/** The number of regions that stand below the map by themselves. */
export const FEW = 2;

/** The regions with the most visitors, and all of them on request. */
export function RegionList({ rows, whole, filtersFor }: Props) {
  const [areAll, setAll] = useState(false);
  if (rows.length === 0) return <p class="nothing quiet">{texts.empty}</p>;
  const largest = Math.max(1, rows[0]!.count);
  return (
    <>
      <div class="columns quiet">
        <span>{headingOf('region')}</span>
        <span aria-hidden="true">{texts.counts.visitors}</span>
        <span aria-hidden="true">{texts.share}</span>
      </div>
      <ol class="entries">
        {(areAll ? rows : rows.slice(0, FEW)).map((row) => (
          <li key={row.key}>
            <span class="bar" style={{ '--part': row.count / largest }} />
            <Name row={row} filters={filtersFor(row)} />
            <span class="count">{shortNumberText(row.count)}</span>
            <span class="part quiet">{whole === undefined ? '' : shareText(row.count, whole)}</span>
          </li>
        ))}
      </ol>
      {rows.length > FEW && (
        <p class="panel-foot">
          <button type="button" class="show-all" aria-expanded={areAll} onClick={() => setAll(!areAll)}>
            {areAll ? texts.map.fewerRows : texts.all(numberText(rows.length))}
            <span class="hidden"> {headingOf('region')}</span>
          </button>
        </p>
      )}
    </>
  );
}

function Name({ row, filters }: { row: RegionRow; filters: Filter[] | undefined }) {
  return (
    <span class="value" title={[row.label, numberText(row.count)].join('\n')}>
      {filters ? (
        <a class="pick" {...linkToFilters(filters)} aria-label={texts.filters.by(row.label)}>
          <bdi>{row.label}</bdi>
        </a>
      ) : (
        <bdi>{row.label}</bdi>
      )}
    </span>
  );
}
