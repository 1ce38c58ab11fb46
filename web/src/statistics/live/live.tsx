import { useRef } from 'preact/hooks';
import { go } from '../../shared/address';
import { isWhole, type LiveAnswer, type LiveWindow } from '../../shared/api';
import { filtersIn } from '../filters/filters';
import { clockIn, numberText, shortNumberText } from '../../shared/format';
import { type Name } from '../../shared/names';
import type { Reading } from '../reading';
import { texts } from '../../shared/texts';
import type { Live } from './use-live';
import { Value } from '../panels/value';
import { headingOf } from '../../shared/language/value-labels';
import './live.css';

const words = texts.live;
const LISTED = 5;

interface ButtonProps {
  live: Live;
  reading: Reading;
  isOpen: boolean;
  isFiltered: boolean;
}

/** The number of current visitors regardless of filters; in the console it opens their details. */
export function LiveButton({ live, reading, isOpen, isFiltered }: ButtonProps) {
  const recent = live ? words.recent(numberText(live.data.last_30_minutes.visitors)) : undefined;
  const title = live === null ? words.away : recent;
  const text = <LiveText {...{ live, isFiltered }} />;
  if (!reading.isLiveWhole)
    return (
      <p class="live" title={title}>
        {text}
      </p>
    );
  return (
    <button
      class="live"
      title={title}
      aria-expanded={isOpen}
      onClick={() => go({ live: isOpen ? undefined : 'open' }, 'replace')}
    >
      {text}
    </button>
  );
}

function LiveText({ live, isFiltered }: Pick<ButtonProps, 'live' | 'isFiltered'>) {
  const visitors = live ? live.data.last_5_minutes.visitors : 0;
  return (
    <>
      <span class={visitors > 0 ? 'dot' : 'dot off'} aria-hidden="true" />
      <b>{live ? shortNumberText(visitors) : '–'}</b>
      <span class="live-words">
        {live === null ? words.away : words.visitors(visitors)}
        {isFiltered && <span class="quiet"> ({words.everyone})</span>}
      </span>
    </>
  );
}

const LISTS: readonly { list: 'pages' | 'referrers' | 'countries'; name: Name }[] = [
  { list: 'pages', name: 'page' },
  { list: 'referrers', name: 'referrer' },
  { list: 'countries', name: 'country' },
];

interface PanelProps {
  live: Live;
  address: URLSearchParams;
  reading: Reading;
}

/** The visitors of the last 30 minutes, or one line if there are none. Once it has its full height, it keeps that. */
export function LivePanel(props: PanelProps) {
  const { live } = props;
  const isHigh = useRef(false);
  isHigh.current ||= !live || live.data.last_30_minutes.visitors > 0 || live.meta.warnings !== undefined;
  if (isHigh.current) return <Whole {...props} />;
  return (
    <section class="live-nobody card quiet" aria-label={words.title}>
      {words.nobodyAtAll}
    </section>
  );
}

function Whole({ live, address, reading }: PanelProps) {
  const whole = live && isWhole(live.data.last_30_minutes) ? live.data.last_30_minutes : undefined;
  return (
    <section class={`live-panel card ${live === undefined ? 'is-unknown' : ''}`} aria-label={words.title}>
      <div>
        <h2>{words.byMinute}</h2>
        {live && <Minutes live={live} />}
      </div>
      {LISTS.map(({ list, name }) => (
        <div key={list}>
          <h2>{headingOf(name)}</h2>
          {whole && <List {...{ name, address, reading }} entries={whole[list].slice(0, LISTED)} />}
        </div>
      ))}
      {live?.meta.warnings && <p class="quiet">{texts.warnings.live_incomplete}</p>}
    </section>
  );
}

/** A bar for each minute, and its number in a list. */
function Minutes({ live: { data, meta } }: { live: LiveAnswer }) {
  const clock = clockIn(meta.timezone);
  const { minutes = [] } = data;
  const largest = Math.max(1, ...minutes.map(({ visitors }) => visitors));
  return (
    <>
      <ol class="minutes">
        {minutes.map(({ minute, visitors }) => {
          const text = words.minute(clock(minute), numberText(visitors));
          return (
            <li key={minute} title={text} style={{ '--part': visitors / largest }}>
              <span class="hidden">{text}</span>
            </li>
          );
        })}
      </ol>
      <p class="minutes-ends quiet" aria-hidden="true">
        <span>{words.first}</span> <span>{words.last}</span>
      </p>
    </>
  );
}

interface ListProps extends Omit<PanelProps, 'live'> {
  name: Name;
  entries: LiveWindow['pages'];
}

function List({ name, entries, address, reading }: ListProps) {
  if (entries.length === 0) return <p class="quiet">{words.nobody}</p>;
  const filters = filtersIn(address);
  return (
    <ol class="entries">
      {entries.map(({ value, count }) => (
        <li key={value}>
          <span class="bar" style={{ '--part': count / entries[0]!.count }} />
          <Value {...{ name, value, filters, reading }} />
          <span class="count">{shortNumberText(count)}</span>
        </li>
      ))}
    </ol>
  );
}
