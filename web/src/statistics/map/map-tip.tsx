import { numberText, shareText } from '../../shared/format';
import { Icon } from '../icons/icon';
import { texts } from '../../shared/texts';

/** The place under the pointer, or the one that keys are at, and where that is on the map. */
export interface Pointed {
  code: string;
  x: number;
  y: number;
  width: number;
}

interface Props {
  pointed: Pointed;
  /** Whose flag it has. */
  country: string;
  name: string;
  text: string;
}

export function visitorsText(count: number, whole: number | undefined): string {
  return count === 0
    ? texts.map.none
    : texts.map.visitors(numberText(count), shareText(count, whole ?? count));
}

/** People who do not see it hear the same. */
export function MapTip({ pointed: { x, y, width }, country, name, text }: Props) {
  const place = { left: `${x}px`, top: `${y}px` };
  return (
    <div class={`map-tip ${x > width / 2 ? 'to-left' : ''}`} style={place} aria-hidden="true">
      <p>
        <Icon name="country" value={country} />
        <b>{name}</b>
      </p>
      <p class="quiet">{text}</p>
    </div>
  );
}
