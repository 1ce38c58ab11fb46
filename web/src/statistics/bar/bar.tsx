import { shownDomain } from '../../../../engine/ground/shown-domain';
import type { ComponentChildren } from 'preact';
import { CompareMenu } from './compare-menu';
import type { Compared } from '../range-to-compare';
import { showFilters } from '../filters/add-button';
import { AddFilter } from '../filters/add-filter';
import type { Filter } from '../filters/filters';
import { FilterBar } from '../filters/filter-bar';
import { LiveButton, LivePanel } from '../live/live';
import { useLive } from '../live/use-live';
import { Menu } from './menu';
import { RangeMenu } from './range-menu';
import { isLeftOut } from '../../shared/api';
import type { Bounds, RangeName, Span } from '../../shared/ranges';
import type { Reading } from '../reading';
import { Initial } from '../../shared/initial/initial';
import { texts } from '../../shared/texts';
import './bar.css';

/** Other websites to switch to, in a menu that can be closed. */
export type Websites = (close: () => void) => ComponentChildren;

interface Props {
  address: URLSearchParams;
  reading: Reading;
  range: RangeName;
  bounds: Bounds;
  span: Span | undefined;
  compared: Compared;
  filters: Filter[];
  websites?: Websites | undefined;
  /** Tells whether there is nothing to choose, because there is no data yet. */
  isNew: boolean | undefined;
}

/** The website, its visitors now, and everything that selects what the page shows. */
export function Bar({ address, reading, range, bounds, span, compared, filters, websites, isNew }: Props) {
  const live = useLive(reading.places);
  const isLiveOpen = reading.isLiveWhole && address.get('live') === 'open' && !isNew;
  return (
    <>
      <header class="bar-row">
        <h1 class="site">
          <Site domain={reading.domain} websites={websites} shortcut="/" />
        </h1>
        {!isNew && !isLeftOut(live) && (
          <LiveButton {...{ live, reading }} isOpen={isLiveOpen} isFiltered={filters.length > 0} />
        )}
        <div class="bar-tools">
          {!isNew && (
            <>
              {reading.mayFilter && <AddFilter {...{ filters, reading }} onChanged={showFilters} />}
              {span && range !== 'all' && (
                <CompareMenu {...{ address, compared, span }} today={bounds.today} />
              )}
              <RangeMenu {...{ range, span, bounds }} />
            </>
          )}
        </div>
      </header>
      {isLiveOpen && <LivePanel {...{ live, address, reading }} />}
      {!isNew && filters.length > 0 && <FilterBar filters={filters} reading={reading} />}
    </>
  );
}

/** After another website was chosen, whose page is another one. */
export function focusWebsiteMenu(): void {
  document.querySelector<HTMLElement>('.site-menu > .menu-button')?.focus();
}

interface SiteProps {
  domain: string;
  websites: Websites | undefined;
  shortcut?: string;
}

export function Site({ domain, websites, shortcut }: SiteProps) {
  const name = (
    <>
      <Initial domain={domain} />
      <span class="site-name">{shownDomain(domain)}</span>
    </>
  );
  if (!websites) return name;
  return (
    <Menu kind="site-menu" {...(shortcut && { shortcut })} text={name} title={texts.bar.switchWebsite}>
      {websites}
    </Menu>
  );
}
