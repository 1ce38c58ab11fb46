import { useState } from 'preact/hooks';
import { go, linkTo } from '../../shared/address';
import { Calendar } from './calendar';
import { type Compared, comparedChange, comparedFor, daysBack } from '../range-to-compare';
import { shortSpanText } from '../../shared/format';
import { Menu } from './menu';
import { daysIn, plusDays, shifted, type Span } from '../../shared/ranges';
import { texts } from '../../shared/texts';

interface Props {
  address: URLSearchParams;
  compared: Compared;
  span: Span;
  today: string;
}

const words = texts.compared;

/** What a range is compared with. */
export function CompareMenu({ address, compared, span, today }: Props) {
  const back = daysBack(compared, span, address);
  const text = textOf(compared, back === undefined ? undefined : shifted(span, -back), today);
  return (
    <Menu
      kind="compare-menu"
      shortcut="X"
      label={words.label(text)}
      title={words.label(text)}
      text={
        <>
          <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
            <path d="M2.5 5.5h9m-2.5-3 3 3-3 3M13.5 10.5h-9m2.5-3-3 3 3 3" />
          </svg>
          <span class="wide">{text}</span>
        </>
      }
    >
      {(close) => <Choices {...{ address, compared, span, today, close }} />}
    </Menu>
  );
}

function textOf(compared: Compared, before: Span | undefined, today: string): string {
  if (compared === 'off') return words.off;
  return words.versus(compared === 'custom' ? shortSpanText(before!, today) : words.button[compared]);
}

function Choices({ address, compared, span, today, close }: Props & { close: () => void }) {
  const [isCustom, setCustom] = useState(compared === 'custom');
  return (
    <>
      <ul class="options">
        {comparedFor(span).map((name) => (
          <li key={name}>
            {name === 'custom' ? (
              <button
                class="option"
                aria-expanded={isCustom}
                aria-current={name === compared ? 'true' : undefined}
                onClick={() => setCustom(!isCustom)}
              >
                {words.custom}
              </button>
            ) : (
              <a
                class="option"
                {...linkTo(comparedChange(name, span))}
                onClickCapture={close}
                aria-current={name === compared ? 'true' : undefined}
              >
                {words[name]}
                <Hint {...{ name, span, address, today }} />
              </a>
            )}
          </li>
        ))}
      </ul>
      {isCustom && <Since {...{ address, compared, span, today, close }} />}
    </>
  );
}

/** The days of a comparison. */
function Hint({ name, span, address, today }: Omit<Props, 'compared'> & { name: Compared }) {
  const back = daysBack(name, span, address);
  if (back === undefined) return null;
  return (
    <small class="quiet" title={name === 'year' ? words.yearHint : undefined}>
      {shortSpanText(shifted(span, -back), today)}
    </small>
  );
}

/** A period as long as the range, by its first day. */
function Since({ address, compared, span, today, close }: Props & { close: () => void }) {
  const from = plusDays(span.from, -(daysBack(compared, span, address) ?? daysIn(span)));
  const periodFrom = (day: string) => ({ from: day, to: plusDays(day, daysIn(span) - 1) });
  const choose = (day: string) => {
    go(comparedChange('custom', span, day));
    close();
  };
  return (
    <Calendar
      initial={from}
      today={today}
      lastDay={plusDays(span.from, -1)}
      hint={texts.calendar.since}
      marked={(pointed) => periodFrom(pointed ?? from)}
      onChosen={choose}
    />
  );
}
