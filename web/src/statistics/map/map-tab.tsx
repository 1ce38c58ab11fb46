import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import './map.css';
import { go } from '../../shared/address';
import type { MapProps } from './map-props';
import { texts } from '../../shared/texts';

interface Props extends Omit<MapProps, 'isFocused' | 'onOpened'> {
  /** The country whose regions are shown. */
  country: string | undefined;
  /** The list beside the world, which regions have of their own. */
  children: ComponentChildren;
}

type Drawings = typeof import('./drawings');

/** The map of the world or of the regions of a country. Their shapes are loaded when they are opened. */
export function MapTab({ country, children, ...props }: Props) {
  const [drawings, setDrawings] = useState<Drawings>();
  const [hasFailed, setFailed] = useState(false);
  const isByKeys = useRef(false);
  useEffect(() => {
    import('./drawings').then(setDrawings, () => setFailed(true));
  }, []);
  const open: MapProps['onOpened'] = (map, byKeys) => {
    isByKeys.current = byKeys;
    go({ map });
  };
  const shared = { ...props, isFocused: isByKeys.current, onOpened: open };
  if (drawings && country !== undefined && drawings.hasRegions(country))
    return <drawings.RegionMap key={country} {...shared} country={country} />;
  return (
    <>
      <div class="map">
        {drawings && <drawings.WorldMap {...shared} />}
        {hasFailed && <p class="quiet">{texts.map.failed}</p>}
      </div>
      {children}
    </>
  );
}
