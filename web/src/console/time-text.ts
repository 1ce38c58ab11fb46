import { localText } from '../shared/format';
import { localTime } from '../statistics/annotations/annotations';

/** A moment in the time zone of the service. */
export const timeText = (at: string, timezone: string) => localText(localTime(at, timezone));
