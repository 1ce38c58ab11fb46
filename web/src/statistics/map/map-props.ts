import type { Span } from '../../shared/ranges';
import type { Counts } from '../chart/series';
import type { Filter } from '../filters/filters';
import type { Reading } from '../reading';

export interface MapProps {
  span: Span | undefined;
  /** The first day with visitors. */
  first: string | undefined;
  filters: Filter[];
  reading: Reading;
  now: Counts;
  /** Tells whether the keys that led here go on. */
  isFocused: boolean;
  /** Called to show the regions of a country, or the world. */
  onOpened: (country: string | undefined, byKeys: boolean) => void;
}
