import { useRef } from 'preact/hooks';
import { linkTo } from '../../shared/address';
import { Bones, Entries, ENTRIES } from './entries';
import type { Filter } from '../filters/filters';
import { numberText } from '../../shared/format';
import { Kinds } from './kinds';
import { MapTab } from '../map/map-tab';
import { described, type Name } from '../../shared/names';
import type { Top } from '../page-answer';
import { BESIDE_MAP, kindsOf, type PanelKind, type Shown } from './panels';
import { Since } from '../../shared/notices';
import type { Span } from '../../shared/ranges';
import type { Counts } from '../chart/series';
import type { Reading } from '../reading';
import { Tabs } from './tabs';
import { texts } from '../../shared/texts';
import { headingOf } from '../../shared/language/value-labels';

interface Props {
  panel: PanelKind;
  shown: Shown;
  /** The name that is listed. */
  name: Name;
  top: Top | undefined;
  now: Counts;
  filters: Filter[];
  reading: Reading;
  span: Span | undefined;
  /** The first day with visitors. */
  first: string | undefined;
  /** The country whose regions the map shows. */
  country: string | undefined;
  hasFailed: boolean;
}

export function Panel(props: Props) {
  const { panel, shown, name, country, filters, reading, span, first, top, now } = props;
  const { id, tabs } = panel;
  return (
    <section class={`card panel ${id}`} aria-labelledby={`${id}-title`}>
      <div class="panel-head">
        <h2 id={`${id}-title`}>{texts.panels[id]}</h2>
        {tabs.length > 1 && <Tabs panel={panel} shown={shown} />}
      </div>
      <div
        id={`${id}-list`}
        {...(tabs.length > 1 && {
          role: 'tabpanel',
          'aria-labelledby': `${id}-${kindsOf(panel, shown)[0]}`,
        })}
      >
        {reading.lacksPlaces && id === 'places' && name !== 'language' && <NoPlaces />}
        {top?.since !== undefined && span ? (
          <Since day={top.since} span={span} />
        ) : shown === 'map' ? (
          <MapTab {...{ span, first, filters, reading, now, country }}>
            <List {...props} most={BESIDE_MAP} />
          </MapTab>
        ) : (
          <List {...props} most={ENTRIES} />
        )}
      </div>
    </section>
  );
}

function NoPlaces() {
  const { text, more } = texts.noPlaces;
  return (
    <p class="no-places quiet">
      {text} <a href="docs/guide/deployment#places">{more}</a>
    </p>
  );
}

function List({ panel, shown, name, top, now, filters, reading, hasFailed, most }: Props & { most: number }) {
  const rows = useRef(most);
  if (top) rows.current = Math.min(most, top.entries.length);
  return (
    <>
      {top?.entries.length !== 0 && (
        <Columns {...{ panel, shown, name }} hasSums={top !== undefined && top.sums.size > 0} />
      )}
      {top && <Entries {...{ name, filters, reading, now, most }} {...top} />}
      {!top && !hasFailed && <Bones rows={rows.current} />}
      {top && top.total > 0 && !described(name).isListed && (
        <ShowAll
          more={name}
          heading={headingOf(name)}
          total={top.total}
          hasMore={top.total > most}
          hasDetails={reading.mayFilter || top.entries.some(({ previous }) => previous !== undefined)}
        />
      )}
    </>
  );
}

interface ShowAllProps {
  /** The list that it opens. */
  more: string;
  heading: string;
  total: number;
  /** Tells whether the panel does not show all of it. */
  hasMore: boolean;
  /** Tells whether the list says more about each entry. */
  hasDetails: boolean;
}

export function ShowAll({ more, heading, total, hasMore, hasDetails }: ShowAllProps) {
  if (!hasMore && !hasDetails) return null;
  return (
    <p class="panel-foot">
      <a
        class={hasMore ? 'show-all' : 'show-all quietly'}
        {...linkTo({ more, search: undefined, sort: undefined, at: undefined })}
      >
        {hasMore ? texts.all(numberText(total)) : texts.moreAbout}
        <span class="hidden"> {heading}</span>
      </a>
    </p>
  );
}

interface ColumnsProps {
  panel: PanelKind;
  shown: Shown;
  name: Name;
  hasSums: boolean;
}

function Columns({ panel, shown, name, hasSums }: ColumnsProps) {
  return (
    <div class={hasSums ? 'columns quiet with-sums' : 'columns quiet'}>
      <Kinds panel={panel} shown={shown} name={name} />
      {hasSums && <span aria-hidden="true">{texts.value}</span>}
      <span aria-hidden="true">{texts.counts[described(name).counts]}</span>
      <span aria-hidden="true">{texts.share}</span>
    </div>
  );
}
