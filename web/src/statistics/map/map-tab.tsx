import { useEffect, useState } from 'preact/hooks';
import './map.css';
import type { MapProps } from './world-map';
import { texts } from '../../shared/texts';

type Drawing = (props: MapProps) => preact.JSX.Element;

/** The map, whose shapes are loaded when it is opened. */
export function MapTab(props: MapProps) {
  const [drawing, setDrawing] = useState<{ Drawing: Drawing }>();
  const [hasFailed, setFailed] = useState(false);
  useEffect(() => {
    import('./world-map').then(
      ({ WorldMap }) => setDrawing({ Drawing: WorldMap }),
      () => setFailed(true),
    );
  }, []);
  return (
    <div class="map">
      {drawing && <drawing.Drawing {...props} />}
      {hasFailed && <p class="quiet">{texts.map.failed}</p>}
    </div>
  );
}
