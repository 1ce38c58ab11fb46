import { hasSameWeekdays } from '../range-to-compare';
import type { Figure } from './figures';
import { bucketText, spanText, tickText } from '../../shared/format';
import type { Unit } from '../../shared/ranges';
import { type Bucket, counterpartOf } from './series';
import { texts } from '../../shared/texts';

/** A point of the chart; undefined values leave gaps. There may be 1,000, so texts are made only for those shown. */
export interface Point {
  readonly text: string;
  /** The time that it is compared with. */
  readonly textBefore: string;
  readonly tick: string;
  now: number | undefined;
  before: number | undefined;
  /** The second metric. */
  second: number | undefined;
  /** Tells whether it is compared with the same weekdays. */
  isComparable: boolean;
  /** Tells whether its time is cut or not over. */
  isPart: boolean;
  /** What happened then. */
  notes: readonly string[];
}

interface Drawn {
  unit: Unit;
  figure: Figure;
  second: Figure | undefined;
  /** How many days earlier the compared points are. */
  back: number | undefined;
}

export function pointOf(
  bucket: Bucket,
  { unit, figure, second, back }: Drawn,
  notes: readonly string[],
): Point {
  return {
    get text() {
      const text = bucketText(bucket, unit);
      return bucket.isOpen ? texts.chart.soFar(text) : text;
    },
    get textBefore() {
      return back === undefined ? texts.chart.before : earlierText(counterpartOf(bucket, back), unit);
    },
    get tick() {
      return tickText(bucket, unit);
    },
    now: figure.of(bucket.now),
    before: figure.of(bucket.before),
    second: second?.of(bucket.now),
    isComparable: back === undefined || hasSameWeekdays(bucket, back),
    isPart: bucket.isOpen === true || bucket.isCut === true,
    notes,
  };
}

/** A month that is moved back by days is no month of the calendar. */
function earlierText(bucket: Bucket, unit: Unit): string {
  return unit === 'month' ? spanText(bucket.from, bucket.to) : bucketText(bucket, unit);
}

/** What a point says in words. */
export function pointText(
  point: Point,
  figure: Figure,
  second: Figure | undefined,
  hasPrevious: boolean,
): string {
  const { value, than, point: sentence } = texts.chart;
  const { now, before } = point;
  const change = now === undefined ? undefined : figure.changeFrom(now, before)?.text;
  const values = [
    now !== undefined && value(figure.text, figure.write(now)),
    hasPrevious && before !== undefined && than(point.textBefore, figure.write(before)),
    hasPrevious && change,
    second && point.second !== undefined && value(second.text, second.write(point.second)),
  ];
  const said = sentence(point.text, values.filter(Boolean).join(', ') || texts.unknown);
  return [said, ...point.notes].join('. ');
}
