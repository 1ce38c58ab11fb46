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

/** The name that an address selects in a panel. */
export function nameIn(address: URLSearchParams, { id, tabs }: PanelKind): Name {
  const requested = address.get(id);
  if (id === 'properties' && isProperty(requested)) return requested;
  return tabs.flat().find((name) => name === requested) ?? tabs[0][0];
}

/** The change of the address that selects a name; the default has no parameter. */
export function panelChange({ id, tabs }: PanelKind, name: Name) {
  return { [id]: name === tabs[0][0] ? undefined : name };
}

/** A single property belongs to the tab of all properties. */
export function kindsOf({ tabs }: PanelKind, name: Name): Kinds {
  return tabs.find((kinds) => kinds.includes(name)) ?? tabs[0];
}
