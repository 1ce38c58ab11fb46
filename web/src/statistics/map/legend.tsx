import { texts } from '../../shared/texts';
import { SHADES } from './shades';

export function Legend() {
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
