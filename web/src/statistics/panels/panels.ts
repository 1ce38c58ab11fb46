import { described, isProperty, type Name } from '../../shared/names';
import { type Filter } from '../filters/filters';
import { ENTRIES, type List } from '../page-answer';
import type { texts } from '../../shared/texts';

/** What a tab shows: a list of a name, or countries on a map. */
export type Shown = Name | 'map';
/** They share a tab; one of them is shown. */
type Kinds = readonly [Shown, ...Shown[]];

export interface PanelKind {
  id: keyof typeof texts.panels;
  tabs: readonly [Kinds, ...Kinds[]];
}

const PANELS: readonly PanelKind[] = [
  { id: 'pages', tabs: [['page', 'title'], ['entry_page'], ['exit_page'], ['hostname']] },
  {
    id: 'sources',
    tabs: [
      ['referrer', 'referrer_page'],
      ['channel'],
      ['campaign', 'source', 'medium', 'term', 'content', 'campaign_id'],
    ],
  },
  { id: 'places', tabs: [['country'], ['map'], ['city', 'region'], ['continent'], ['language']] },
  {
    id: 'technology',
    tabs: [
      ['browser', 'browser_version'],
      ['operating_system', 'operating_system_version'],
      ['device'],
      ['screen_resolution'],
    ],
  },
  { id: 'events', tabs: [['event']] },
  { id: 'properties', tabs: [['event_properties'], ['currency']] },
];

const isName = (shown: Shown): shown is Name => shown !== 'map';
/** The names of a panel's tabs. */
export const namesOf = ({ tabs }: PanelKind): Name[] => tabs.flat().filter(isName);

const isOwners = (panel: PanelKind) => namesOf(panel).every((name) => described(name).isOwners);
const OF_VIEWERS = PANELS.filter((panel) => !isOwners(panel));

export function panelsFor({ isOwner }: { isOwner: boolean }): readonly PanelKind[] {
  return isOwner ? PANELS : OF_VIEWERS;
}

/** What an address selects in a panel. */
export function shownIn(address: URLSearchParams, { id, tabs }: PanelKind): Shown {
  const requested = address.get(id);
  if (id === 'properties' && isProperty(requested)) return requested;
  return tabs.flat().find((shown) => shown === requested) ?? tabs[0][0];
}

/** The name that a panel lists. Beside the map are the countries, or the cities of the one that is filtered by. */
export function nameIn(address: URLSearchParams, panel: PanelKind, filters: readonly Filter[] = []): Name {
  const shown = shownIn(address, panel);
  if (isName(shown)) return shown;
  return countryIn(filters) === undefined ? 'country' : 'city';
}

/** The country whose regions the map shows. */
export function countryOnMap(address: URLSearchParams): string | undefined {
  const code = address.get('map');
  return code !== null && /^[A-Z]{2}$/.test(code) ? code : undefined;
}

/** The only country that is filtered by. */
function countryIn(filters: readonly Filter[]): string | undefined {
  const [filter, ...others] = filters.filter(({ name }) => name === 'country');
  const isOne = others.length === 0 && filter?.operator === 'is' && filter.values.length === 1;
  return isOne ? filter.values[0] : undefined;
}

/** The change of the address that selects a tab; the default has no parameter. */
export function panelChange({ id, tabs }: PanelKind, shown: Shown) {
  return { [id]: shown === tabs[0][0] ? undefined : shown };
}

/** A single property belongs to the tab of all properties. */
export function kindsOf({ tabs }: PanelKind, shown: Shown): Kinds {
  return tabs.find((kinds) => kinds.includes(shown)) ?? tabs[0];
}

/** Tells whether a panel has nothing to show without events, unless another tab was chosen. */
export function needsEvents(panel: PanelKind, address: URLSearchParams): boolean {
  return panel.id === 'properties' && shownIn(address, panel) === panel.tabs[0][0];
}

export interface Placed {
  id: string;
  /** Roughly its height. */
  rows: number;
}

/** Of the list below the map. */
export const BESIDE_MAP = 3;
/** Rows as high as a panel's head, foot and gap. */
const ROWS_BESIDE = 5;

/** A panel with tabs has room for the most rows, so that its tabs move no other panel. */
export function rowsOf(tabs: number, top: List | undefined): number {
  return tabs > 1 ? ENTRIES : Math.min(ENTRIES, top?.entries.length || 1);
}

/** The first panels alternate between the columns, whatever they list; each further one fills the shorter column. */
const SETTLED = 6;

/** The column of each panel: the one with the fewest rows, unless the panel has one already. */
export function columnsOf(
  panels: readonly Placed[],
  count: number,
  placed: ReadonlyMap<string, number>,
): Map<string, number> {
  const heights = new Array<number>(count).fill(0);
  return new Map(
    panels.map(({ id, rows }, index) => {
      const shortest = heights.indexOf(Math.min(...heights));
      const column = index < SETTLED ? index % count : (placed.get(id) ?? shortest);
      heights[column]! += rows + ROWS_BESIDE;
      return [id, column];
    }),
  );
}
