import { numberText, shareText } from '../../shared/format';
import { Icon } from '../icons/icon';
import { texts } from '../../shared/texts';
import { wordsOf } from '../../shared/language/wording';

/** The country under the pointer, and where that is on the map. */
export interface Pointed {
  code: string;
  x: number;
  y: number;
  width: number;
}

interface Props {
  pointed: Pointed;
  count: number;
  whole: number | undefined;
}

export function MapTip({ pointed: { code, x, y, width }, count, whole }: Props) {
  return (
    <div class={`map-tip ${x > width / 2 ? 'to-left' : ''}`} style={{ left: `${x}px`, top: `${y}px` }}>
      <p>
        <Icon name="country" value={code} />
        <b>{wordsOf('country', code)}</b>
      </p>
      <p class="quiet">
        {count === 0
          ? texts.map.none
          : texts.map.visitors(numberText(count), shareText(count, whole ?? count))}
      </p>
    </div>
  );
}
