import { numberText, shareText } from '../../shared/format';
import { Icon } from '../icons/icon';
import { texts } from '../../shared/texts';
import { wordsOf } from '../../shared/language/wording';

/** The country under the pointer, or the one that keys are at, and where that is on the map. */
export interface Pointed {
  code: string;
  x: number;
  y: number;
  width: number;
}

interface Props {
  pointed: Pointed;
  text: string;
}

export function visitorsText(count: number, whole: number | undefined): string {
  return count === 0
    ? texts.map.none
    : texts.map.visitors(numberText(count), shareText(count, whole ?? count));
}

/** Those who do not see it hear the same. */
export function MapTip({ pointed: { code, x, y, width }, text }: Props) {
  const place = { left: `${x}px`, top: `${y}px` };
  return (
    <div class={`map-tip ${x > width / 2 ? 'to-left' : ''}`} style={place} aria-hidden="true">
      <p>
        <Icon name="country" value={code} />
        <b>{wordsOf('country', code)}</b>
      </p>
      <p class="quiet">{text}</p>
    </div>
  );
}
