import { described, isProperty, type Name } from '../../shared/names';
import type { texts } from '../../shared/texts';

/** Names that share a tab; one of them is shown. */
type Kinds = readonly [Name, ...Name[]];

export interface PanelKind {
  id: keyof typeof texts.panels;
  tabs: readonly [Kinds, ...Kinds[]];
}

const PANELS: readonly PanelKind[] = [
  { id: 'pages', tabs: [['page'], ['entry_page'], ['exit_page'], ['hostname']] },
  {
    id: 'sources',
    tabs: [['referrer', 'referrer_page'], ['channel'], ['campaign', 'source', 'medium', 'term', 'content']],
  },
  { id: 'places', tabs: [['country'], ['city'], ['continent'], ['language']] },
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

const OF_VIEWERS = PANELS.filter(({ tabs: [[name]] }) => !described(name).isOwners);

export function panelsFor({ isOwner }: { isOwner: boolean }): readonly PanelKind[] {
  return isOwner ? PANELS : OF_VIEWERS;
}

/** What an address says that a panel shows. */
export function nameIn(address: URLSearchParams, { id, tabs }: PanelKind): Name {
  const requested = address.get(id);
  if (id === 'properties' && isProperty(requested)) return requested;
  return tabs.flat().find((name) => name === requested) ?? tabs[0][0];
}

/** What an address says of a panel; nothing where that is what it shows anyway. */
export function panelChange({ id, tabs }: PanelKind, name: Name) {
  return { [id]: name === tabs[0][0] ? undefined : name };
}

/** One property stands in the tab of all. */
export function kindsOf({ tabs }: PanelKind, name: Name): Kinds {
  return tabs.find((kinds) => kinds.includes(name)) ?? tabs[0];
}
