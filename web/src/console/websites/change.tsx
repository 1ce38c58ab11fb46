import type { ComponentChildren } from 'preact';
import { changeOf, numberText, sinceText } from '../../shared/format';
import { toneOf } from '../../statistics/range-to-compare';
import { Sign } from '../../shared/sign';
import { texts } from '../../shared/texts';
import type { Numbers } from './numbers';

/** Empty without earlier visitors. */
export function Change({ numbers }: { numbers: Numbers | undefined }) {
  const change = numbers && changeOf(numbers.over.now, numbers.over.before);
  if (change && numbers.since !== undefined)
    return <span class="change since quiet">{texts.since(sinceText(numbers.since))}</span>;
  if (!change) return <span class="change" />;
  return (
    <span class={`change ${toneOf(change, true)}`} title={texts.console.websites.compared}>
      {change.direction !== 'same' && <Sign name={change.direction} />} {change.text}
    </span>
  );
}

interface LiveProps {
  visitors: number | undefined;
  unit: ComponentChildren;
}

/** The visitors now; a grey dot if there are none. */
export function LiveCount({ visitors, unit }: LiveProps) {
  if (visitors === undefined) return <span class="live-count" />;
  const shown = numberText(visitors);
  const text = texts.console.websites.now(visitors, shown);
  return (
    <span class={`live-count ${visitors === 0 ? 'is-quiet' : ''}`} title={text}>
      <span class="dot" aria-hidden="true" />
      <span aria-hidden="true">
        {shown} {unit}
      </span>
      <span class="hidden">{text}</span>
    </span>
  );
}
