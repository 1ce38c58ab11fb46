import { world } from 'virtual:world';
import { useRef, useState } from 'preact/hooks';
import { go } from '../../shared/address';
import { type Filter, mayAdd, plus, withFilters } from '../filters/filters';
import { wordsOf } from '../../shared/language/value-labels';
import { Legend } from './legend';
import { MapKeys } from './map-keys';
import type { MapProps } from './map-props';
import { MapTip, type Pointed, visitorsText } from './map-tip';
import { pointedAt, pointedIn } from './pointed';
import { hasRegions } from './regions/regions';
import { MIDDLES, REACHABLE, Shapes } from './shapes';
import { shadeOf } from './shades';
import { texts } from '../../shared/texts';
import { useCountries } from './use-countries';

/** The tab of the map, which Escape leads to. */
const TAB = 'places-map';

/**
 * Countries in shades of their visitors. A click shows the regions of one, and so does Enter on one that arrow keys lead
 * to; one without regions is filtered by.
 */
export function WorldMap({ span, filters, reading, now, isFocused, onOpened }: MapProps) {
  const counts = useCountries(reading, filters, span);
  const drawing = useRef<SVGSVGElement>(null);
  const [pointed, setPointed] = useState<Pointed>();
  const countOf = (code: string) => counts.get(code) ?? 0;
  const reached = REACHABLE.filter((code) => countOf(code) > 0).sort(
    (one, other) => countOf(other) - countOf(one) || (one < other ? -1 : 1),
  );
  const largest = countOf(reached[0] ?? '');
  const picked = pickedIn(filters);
  const mayFilter = mayAdd(filters, 'country', reading);
  const isClickable = (code: string) => code !== '' && (hasRegions(code) || mayFilter);
  const pick = (code: string | undefined, byKeys: boolean) => {
    if (!code || !isClickable(code)) return;
    if (hasRegions(code)) onOpened(code, byKeys);
    else go(withFilters(plus(filters, 'country', code)));
  };
  const textOf = (code: string) => visitorsText(countOf(code), now.visitors);
  return (
    <div class="world" onPointerLeave={() => setPointed(undefined)}>
      <Shapes
        {...{ drawing, isClickable, counts }}
        styleOf={(code) =>
          `shade-${shadeOf(countOf(code), largest)} ${picked.has(code) ? 'picked' : ''} ${pointed?.code === code ? 'at' : ''}`
        }
        onPicked={(code) => pick(code, false)}
        onPointed={(event) => setPointed(pointedAt(event))}
      />
      {reached.length > 0 && (
        <MapKeys
          {...{ picked, isFocused }}
          label={texts.map.countries}
          codes={reached}
          textOf={(code) => texts.map.country(wordsOf('country', code), textOf(code))}
          onAt={(code) =>
            setPointed(
              code === undefined
                ? undefined
                : pointedIn(drawing.current!, code, MIDDLES.get(code)!, world.width),
            )
          }
          onChosen={(code) => pick(code, true)}
          onLeft={() => document.getElementById(TAB)?.focus()}
        />
      )}
      <Legend />
      {pointed && (
        <MapTip
          pointed={pointed}
          country={pointed.code}
          name={wordsOf('country', pointed.code)}
          text={textOf(pointed.code)}
        />
      )}
    </div>
  );
}

function pickedIn(filters: readonly Filter[]): ReadonlySet<string> {
  const isPicked = ({ name, operator }: Filter) => name === 'country' && operator === 'is';
  return new Set(filters.filter(isPicked).flatMap(({ values }) => values));
}
