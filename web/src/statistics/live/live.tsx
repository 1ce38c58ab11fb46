import { go } from '../../shared/address';
import { isWhole, type LiveAnswer, type LiveWindow } from '../../shared/api';
import { filtersIn } from '../filters/filters';
import { clockIn, numberText, shortNumberText } from '../../shared/format';
import { type Name } from '../../shared/names';
import type { Reading } from '../reading';
import { texts } from '../../shared/texts';
import { type Live, useLive } from './use-live';
import { Value } from '../panels/value';
import { headingOf } from '../../shared/wording';

const words = texts.live;
const LISTED = 5;

interface Props {
  address: URLSearchParams;
  reading: Reading;
}

/** The number of current visitors regardless of filters, and in the console their details. */
export function Now({ address, reading }: Props) {
  const live = useLive(reading.places);
  const isFiltered = filtersIn(address).length > 0;
  if (!reading.isLiveWhole)
    return (
      <div class="figure live">
        <NowFigure {...{ live, isFiltered }} />
      </div>
    );
  const isOpen = address.get('live') === 'open';
  return (
    <>
      <button
        class="figure live"
        aria-expanded={isOpen}
        onClick={() => go({ live: isOpen ? undefined : 'open' }, 'replace')}
      >
        <NowFigure {...{ live, isFiltered }} />
      </button>
      {isOpen && <LivePanel live={live} address={address} reading={reading} />}
    </>
  );
}

function NowFigure({ live, isFiltered }: { live: Live; isFiltered: boolean }) {
  return (
    <>
      <span class="name">
        <span class="dot" aria-hidden="true" />
        {words.now}
      </span>
      {live === undefined ? (
        <span class="bone figure-bone" />
      ) : (
        <span class="sum">{live ? shortNumberText(live.data.last_5_minutes.visitors) : '–'}</span>
      )}
      <span class="change quiet">
        {live && (isFiltered ? words.everyone : words.recent(numberText(live.data.last_30_minutes.visitors)))}
        {live === null && words.away}
      </span>
    </>
  );
}

const LISTS: readonly { list: 'pages' | 'referrers' | 'countries'; name: Name }[] = [
  { list: 'pages', name: 'page' },
  { list: 'referrers', name: 'referrer' },
  { list: 'countries', name: 'country' },
];

function LivePanel({ live, address, reading }: Props & { live: Live }) {
  const whole = live && isWhole(live.data.last_30_minutes) ? live.data.last_30_minutes : undefined;
  return (
    <section class="live-panel" aria-label={words.title}>
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
      {live?.meta.warnings?.map(({ code, detail }) => (
        <p key={code} class="quiet">
          {texts.warnings[code] ?? detail}
        </p>
      ))}
    </section>
  );
}

/** A bar for each minute, and its number in a list. */
function Minutes({ live: { data, meta } }: { live: LiveAnswer }) {
  const clock = clockIn(meta.timezone);
  const { minutes = [] } = data;
  const largest = Math.max(1, ...minutes.map(({ visitors }) => visitors));
  return (
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
  );
}

interface ListProps extends Props {
  name: Name;
  entries: LiveWindow['pages'];
}

function List({ name, entries, address, reading }: ListProps) {
  if (entries.length === 0) return <p class="quiet">{words.nobody}</p>;
  return (
    <ol class="entries">
      {entries.map(({ value, count }) => (
        <li key={value}>
          <span class="bar" style={{ '--part': count / entries[0]!.count }} />
          <Value {...{ name, value, reading }} filters={filtersIn(address)} />
          <span class="count">{shortNumberText(count)}</span>
        </li>
      ))}
    </ol>
  );
}
