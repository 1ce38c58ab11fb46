import { useState } from 'preact/hooks';
import { go, linkTo } from '../shared/address';
import { type Bounds, rangeChange, type RangeName, type Span } from '../shared/ranges';
import { RANGE_KEYS } from './shortcuts';
import { texts } from '../shared/texts';

interface Props {
  range: RangeName;
  span: Span | undefined;
  bounds: Bounds;
}

export function RangePicker({ range, span, bounds }: Props) {
  const [isOpen, setOpen] = useState(range === 'custom');
  const chosen = (name: RangeName) => (name === range ? 'page' : undefined);
  return (
    <nav class="ranges" aria-label={texts.ranges.label}>
      <ul>
        {bounds.ranges.map((name) => (
          <li key={name}>
            <a
              {...linkTo(rangeChange(name))}
              aria-keyshortcuts={RANGE_KEYS[name].toUpperCase()}
              aria-current={chosen(name)}
            >
              {texts.ranges[name]}
            </a>
          </li>
        ))}
        <li>
          <button aria-expanded={isOpen} aria-current={chosen('custom')} onClick={() => setOpen(!isOpen)}>
            {texts.ranges.custom}
          </button>
        </li>
      </ul>
      {isOpen && <OwnRange span={span} bounds={bounds} />}
    </nav>
  );
}

function OwnRange({ span, bounds: { today, lastDay } }: Omit<Props, 'range'>) {
  const [isWrong, setWrong] = useState(false);
  const show = (event: SubmitEvent) => {
    event.preventDefault();
    const fields = new FormData(event.currentTarget as HTMLFormElement);
    const [from, to] = [fields.get('from') as string, fields.get('to') as string];
    setWrong(from > to);
    if (from <= to) go({ range: 'custom', from, to, by: undefined, at: undefined });
  };
  return (
    <form class="own-range" onSubmit={show} key={`${span?.from} ${span?.to}`}>
      {(['from', 'to'] as const).map((name) => (
        <label key={name}>
          {texts.ranges[name]}
          <input
            type="date"
            name={name}
            required
            min="1970-01-01"
            max={lastDay < today ? lastDay : '9999-12-31'}
            defaultValue={span?.[name] ?? ''}
            aria-describedby={isWrong ? 'wrong-range' : undefined}
          />
        </label>
      ))}
      <button class="primary">{texts.ranges.show}</button>
      {isWrong && (
        <p class="complaint" id="wrong-range" role="alert">
          {texts.ranges.wrong}
        </p>
      )}
    </form>
  );
}
