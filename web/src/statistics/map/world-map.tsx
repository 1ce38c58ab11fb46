import { useRef, useState } from 'preact/hooks';
import { go } from '../../shared/address';
import { type Filter, mayAdd, plus, withFilters } from '../filters/filters';
import { wordsOf } from '../../shared/language/wording';
import { MapKeys } from './map-keys';
import { MapTip, type Pointed, visitorsText } from './map-tip';
import type { Span } from '../../shared/ranges';
import type { Counts } from '../chart/series';
import type { Reading } from '../reading';
import { pointedAt, pointedIn, REACHABLE, Shapes } from './shapes';
import { SHADES, shadeOf } from './shades';
import { texts } from '../../shared/texts';
import { useCountries } from './use-countries';

export interface MapProps {
  span: Span | undefined;
  filters: Filter[];
  reading: Reading;
  now: Counts;
}

/** The tab of the map, which Escape leads to. */
const TAB = 'places-map';

/** Countries in shades of their visitors. A click filters, and so does Enter on one that arrow keys lead to. */
export function WorldMap({ span, filters, reading, now }: MapProps) {
  const counts = useCountries(reading, filters, span);
  const drawing = useRef<SVGSVGElement>(null);
  const [pointed, setPointed] = useState<Pointed>();
  const countOf = (code: string) => counts.get(code) ?? 0;
  const reached = REACHABLE.filter((code) => countOf(code) > 0).sort(
    (one, other) => countOf(other) - countOf(one) || (one < other ? -1 : 1),
  );
  const largest = countOf(reached[0] ?? '');
  const picked = pickedIn(filters);
  const isClickable = mayAdd(filters, 'country', reading);
  const pick = (code: string | undefined) => {
    if (code && isClickable) go(withFilters(plus(filters, 'country', code)));
  };
  const textOf = (code: string) => visitorsText(countOf(code), now.visitors);
  return (
    <div class="world" onPointerLeave={() => setPointed(undefined)}>
      <Shapes
        {...{ drawing, isClickable, counts }}
        styleOf={(code) =>
          `shade-${shadeOf(countOf(code), largest)} ${picked.has(code) ? 'picked' : ''} ${pointed?.code === code ? 'at' : ''}`
        }
        onPicked={pick}
        onPointed={(event) => setPointed(pointedAt(event))}
      />
      {reached.length > 0 && (
        <MapKeys
          {...{ picked, tab: TAB }}
          codes={reached}
          textOf={(code) => texts.map.country(wordsOf('country', code), textOf(code))}
          onAt={(code) => setPointed(code === undefined ? undefined : pointedIn(drawing.current!, code))}
          onChosen={pick}
        />
      )}
      <Legend />
      {pointed && <MapTip pointed={pointed} text={textOf(pointed.code)} />}
    </div>
  );
}

function pickedIn(filters: readonly Filter[]): ReadonlySet<string> {
  const isPicked = ({ name, operator }: Filter) => name === 'country' && operator === 'is';
  return new Set(filters.filter(isPicked).flatMap(({ values }) => values));
}

function Legend() {
  return (
    <p class="map-legend quiet" aria-hidden="true">
      {texts.map.fewer}
      {Array.from({ length: SHADES }, (_, index) => (
        <span key={index} class={`swatch shade-${index + 1}`} />
      ))}
      {texts.map.more}
    </p>
  );
}
