import { world } from 'virtual:world';
import { useState } from 'preact/hooks';
import { go } from '../../shared/address';
import { type Filter, mayAdd, plus, withFilters } from '../filters/filters';
import { MapTip, type Pointed } from './map-tip';
import type { Span } from '../../shared/ranges';
import type { Counts } from '../chart/series';
import type { Reading } from '../reading';
import { SHADES, shadeOf } from './shades';
import { texts } from '../../shared/texts';
import { useCountries } from './use-countries';

export interface MapProps {
  span: Span | undefined;
  filters: Filter[];
  reading: Reading;
  now: Counts;
}

const DOT = 4;

/** Countries in shades of their visitors. A click filters; the list below has the same for keyboards. */
export function WorldMap({ span, filters, reading, now }: MapProps) {
  const counts = useCountries(reading, filters, span);
  const largest = Math.max(0, ...world.areas.map(([code]) => counts.get(code) ?? 0));
  const [pointed, setPointed] = useState<Pointed>();
  const isClickable = mayAdd(filters, 'country', reading);
  const picked = new Set(
    filters.flatMap(({ name, operator, values }) => (isPicked(name, operator) ? values : [])),
  );
  const styleOf = (code: string) =>
    `shade-${shadeOf(counts.get(code) ?? 0, largest)} ${picked.has(code) ? 'picked' : ''}`;
  const pick = ({ target }: MouseEvent) => {
    const code = codeOf(target);
    if (code && isClickable) go(withFilters(plus(filters, 'country', code)));
  };
  return (
    <div class="world" onPointerLeave={() => setPointed(undefined)}>
      <svg
        viewBox={`0 0 ${world.width} ${world.height}`}
        role="img"
        aria-label={texts.map.label}
        class={isClickable ? 'clickable' : ''}
        onClick={pick}
        onPointerMove={(event) => setPointed(pointedAt(event))}
      >
        {world.areas.map(([code, path]) => (
          <path key={code + path.slice(0, 12)} data-code={code} class={styleOf(code)} d={path} />
        ))}
        {world.dots.map(
          ([code, x, y]) =>
            counts.has(code) && (
              <circle key={code} data-code={code} class={styleOf(code)} cx={x} cy={y} r={DOT} />
            ),
        )}
      </svg>
      <Legend />
      {pointed && <MapTip pointed={pointed} count={counts.get(pointed.code) ?? 0} whole={now.visitors} />}
    </div>
  );
}

const isPicked = (name: string, operator: string) => name === 'country' && operator === 'is';

const codeOf = (target: EventTarget | null) => (target as SVGElement).dataset.code || undefined;

function pointedAt(event: PointerEvent & { currentTarget: SVGSVGElement }): Pointed | undefined {
  const code = codeOf(event.target);
  if (!code || event.pointerType === 'touch') return undefined;
  const { left, top, width } = event.currentTarget.getBoundingClientRect();
  return { code, x: event.clientX - left, y: event.clientY - top, width };
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
