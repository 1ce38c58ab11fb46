import type { Ref } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { go } from '../../../shared/address';
import { linkToFilters } from '../../filters/add-button';
import { wordsOf } from '../../../shared/language/value-labels';
import { Since, Trouble } from '../../../shared/notices';
import { texts } from '../../../shared/texts';
import { sinceIn } from '../../coverage';
import { type Filter, mayAdd, plus, withFilters } from '../../filters/filters';
import { Icon } from '../../icons/icon';
import { Bones } from '../../panels/entries';
import type { Reading } from '../../reading';
import { Legend } from '../legend';
import { MapKeys } from '../map-keys';
import type { MapProps } from '../map-props';
import { MapTip, type Pointed, visitorsText } from '../map-tip';
import { codeOf, pointedAt, pointedIn } from '../pointed';
import { FEW, RegionList } from './region-list';
import { labelOfRegion, type Region, type RegionRow, rowsOf } from './rows';
import { shadeOf } from '../shades';
import { useRegions, useShapes } from './use-regions';

/** The box that all countries are drawn in. */
const [WIDTH, HEIGHT] = [1000, 525];

interface Props extends MapProps {
  country: string;
}

/** The regions of a country, or since when their numbers are complete. */
export function RegionMap(props: Props) {
  const { country, span, first, filters, reading } = props;
  const answer = useRegions(reading, filters, span, country);
  const since = answer.data && span && sinceIn(answer.data, span, first);
  return (
    <>
      <Head {...props} />
      {since !== undefined && span ? (
        <Since day={since} span={span} />
      ) : (
        <Regions {...props} answer={answer} />
      )}
    </>
  );
}

/** In shades of their visitors, and as a list, which has those without a shape too. */
function Regions({ answer, ...props }: Props & { answer: ReturnType<typeof useRegions> }) {
  const { country, filters, reading, now } = props;
  const { entries, failure, retry } = answer;
  const shapes = useShapes(country);
  const rows = entries && shapes && rowsOf(entries, shapes);
  const filtersFor = (row: RegionRow) => filtersWith(row.values, filters, reading);
  return (
    <>
      <div class="map">
        {shapes?.length === 0 ? (
          <p class="quiet">{texts.map.failed}</p>
        ) : (
          shapes && <Drawing {...props} shapes={shapes} rows={rows ?? []} filtersFor={filtersFor} />
        )}
      </div>
      {failure && <Trouble failure={failure} retry={retry} />}
      {rows && <RegionList rows={rows} whole={now.visitors} filtersFor={filtersFor} />}
      {!rows && !failure && <Bones rows={FEW} />}
    </>
  );
}

/** Filters by all names of a region. */
function filtersWith(values: readonly string[], filters: Filter[], reading: Reading): Filter[] | undefined {
  if (!values.every((value) => mayAdd(filters, 'region', reading, value))) return undefined;
  const [first, ...others] = values;
  return others.reduce((sum, value) => plus(sum, 'region', value), plus(filters, 'region', first!));
}

/** The way back, and what is shown. */
function Head({ country, filters, reading, onOpened }: Props) {
  const name = wordsOf('country', country);
  const isFiltered = filters.some((filter) => filter.name === 'country' && filter.values.includes(country));
  return (
    <div class="map-head">
      <button
        type="button"
        class="map-back"
        aria-label={texts.map.back}
        // A click by a key has no place.
        onClick={({ detail }) => onOpened(undefined, detail === 0)}
      >
        ‹ {texts.map.world}
      </button>
      <b>
        <Icon name="country" value={country} />
        <bdi>{name}</bdi>
      </b>
      {mayAdd(filters, 'country', reading) && !isFiltered && (
        <a
          class="map-filter"
          {...linkToFilters(plus(filters, 'country', country))}
          aria-label={texts.filters.by(name)}
        >
          {texts.map.filter}
        </a>
      )}
    </div>
  );
}

interface DrawingProps extends Props {
  shapes: readonly Region[];
  rows: readonly RegionRow[];
  filtersFor: (row: RegionRow) => Filter[] | undefined;
}

function Drawing({ country, shapes, rows, filters, now, isFocused, onOpened, filtersFor }: DrawingProps) {
  const drawing = useRef<SVGSVGElement>(null);
  const [pointed, setPointed] = useState<Pointed>();
  const name = wordsOf('country', country);
  const drawn = rows.filter(({ key }) => Object.hasOwn(shapes, key));
  const byKey = new Map(drawn.map((row) => [row.key, row]));
  const picked = pickedOf(drawn, filters);
  const textOf = (key: string) => visitorsText(byKey.get(key)?.count ?? 0, now.visitors);
  const labelAt = (key: string) => labelOfRegion(shapes[Number(key)]!);
  const filtersAt = (key: string) => {
    const row = byKey.get(key);
    return row && filtersFor(row);
  };
  const pick = (key: string | undefined) => {
    const chosen = key === undefined ? undefined : filtersAt(key);
    if (chosen) go(withFilters(chosen));
  };
  const classOf = (key: string) =>
    [
      `shade-${shadeOf(byKey.get(key)?.count ?? 0, drawn[0]?.count ?? 0)}`,
      filtersAt(key) ? 'clickable' : '',
      picked.has(key) ? 'picked' : '',
      pointed?.code === key ? 'at' : '',
    ].join(' ');
  return (
    <div class="world regions" onPointerLeave={() => setPointed(undefined)}>
      <Paths {...{ drawing, shapes, classOf, name }} onPicked={pick} onPointed={setPointed} />
      {drawn.length > 0 && (
        <MapKeys
          {...{ picked, isFocused }}
          label={texts.map.regions(name)}
          codes={drawn.map(({ key }) => key)}
          textOf={(key) => texts.map.country(labelAt(key), textOf(key))}
          onAt={(key) =>
            setPointed(
              key === undefined
                ? undefined
                : pointedIn(drawing.current!, key, shapes[Number(key)]!.middle, WIDTH),
            )
          }
          onChosen={pick}
          onLeft={() => onOpened(undefined, true)}
        />
      )}
      <Legend />
      {pointed && (
        <MapTip
          pointed={pointed}
          country={country}
          name={labelAt(pointed.code)}
          text={textOf(pointed.code)}
        />
      )}
    </div>
  );
}

interface PathsProps {
  drawing: Ref<SVGSVGElement>;
  shapes: readonly Region[];
  name: string;
  classOf: (key: string) => string;
  onPicked: (key: string | undefined) => void;
  onPointed: (pointed: Pointed | undefined) => void;
}

function Paths({ drawing, shapes, name, classOf, onPicked, onPointed }: PathsProps) {
  return (
    <svg
      ref={drawing}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      role="img"
      aria-label={texts.map.ofRegions(name)}
      onClick={({ target }) => onPicked(codeOf(target))}
      onPointerMove={(event) => onPointed(pointedAt(event))}
    >
      {shapes.map(({ path }, index) => (
        <path key={index} data-code={index} class={classOf(String(index))} d={path} />
      ))}
    </svg>
  );
}

/** The regions that are filtered by. */
function pickedOf(rows: readonly RegionRow[], filters: readonly Filter[]): ReadonlySet<string> {
  const isPicked = ({ name, operator }: Filter) => name === 'region' && operator === 'is';
  const values = new Set(filters.filter(isPicked).flatMap((filter) => filter.values));
  return new Set(rows.flatMap((row) => (row.values.some((value) => values.has(value)) ? [row.key] : [])));
}
