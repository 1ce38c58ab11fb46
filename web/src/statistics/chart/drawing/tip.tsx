import type { Figure } from '../figures';
import { numberText } from '../../../shared/format';
import { texts } from '../../../shared/texts';
import { useMedia } from '../../../shared/use-media';
import type { Point } from '../points';
import { Change } from '../change';

interface Props {
  point: Point;
  figure: Figure;
  second: Figure | undefined;
  hasPrevious: boolean;
  left: number;
  width: number;
  /** The distance from the point. */
  apart: number;
  mayOpen: boolean;
}

/** Narrower charts have no room beside a point. */
const NARROW_PX = 400;

/** The dates and values of the point under the pointer. Others hear them. */
export function Tip({ point, figure, second, hasPrevious, left, width, apart, mayOpen }: Props) {
  const hasMouse = useMedia('(hover: hover)');
  const beside = left > width / 2 ? { right: `${width - left + apart}px` } : { left: `${left + apart}px` };
  const place = width < NARROW_PX ? { left: 0, right: 0 } : beside;
  const { text, textBefore, now, before, second: other, isComparable } = point;
  const write = (value: number | undefined, { write }: Figure) => (value === undefined ? '–' : write(value));
  return (
    <div class="tip" style={place} aria-hidden="true">
      <p>
        <b>{figure.text}</b>
        {hasPrevious && now !== undefined && <Change {...{ figure, before, isComparable }} value={now} />}
      </p>
      <span class="key now">
        {text} <b>{write(now, figure)}</b>
      </span>
      {hasPrevious && (
        <span class="key earlier">
          {textBefore} <b>{write(before, figure)}</b>
        </span>
      )}
      {second && (
        <span class="key second">
          {second.text} <b>{write(other, second)}</b>
        </span>
      )}
      <Notes notes={point.notes} />
      {mayOpen && <span class="quiet tip-hint">{hasMouse ? texts.chart.click : texts.chart.tap}</span>}
    </div>
  );
}

const MAX_NOTES = 3;

function Notes({ notes }: { notes: readonly string[] }) {
  const more = notes.length - MAX_NOTES;
  return (
    <>
      {notes.slice(0, MAX_NOTES).map((note, index) => (
        <bdi key={index} class="tip-note">
          {note}
        </bdi>
      ))}
      {more > 0 && <span class="quiet">{texts.annotations.further(numberText(more))}</span>}
    </>
  );
}
