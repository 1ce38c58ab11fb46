import { go, linkTo } from './address';
import { Bones, Entries } from './entries';
import type { Filter } from './filters';
import { numberText } from './format';
import { describe, type Name } from './names';
import type { Top } from './page-answer';
import type { Counts } from './series';
import type { Reading } from './statistics';
import { texts } from './texts';

type PanelId = keyof typeof texts.panels;

export interface PanelKind {
  id: PanelId;
  tabs: readonly [Name, ...Name[]];
}

export const PANELS: readonly PanelKind[] = [
  { id: 'pages', tabs: ['page', 'entry_page', 'exit_page'] },
  { id: 'sources', tabs: ['referrer', 'campaign'] },
  { id: 'places', tabs: ['country', 'city', 'continent', 'language'] },
  { id: 'technology', tabs: ['browser', 'operating_system', 'device', 'screen_resolution'] },
  { id: 'events', tabs: ['event'] },
];

export function tabIn(address: URLSearchParams, { id, tabs }: PanelKind): Name {
  return tabs.find((tab) => tab === address.get(id)) ?? tabs[0];
}

interface Props {
  panel: PanelKind;
  name: Name;
  top: Top | undefined;
  now: Counts;
  filters: Filter[];
  reading: Reading;
  hasFailed: boolean;
}

export function Panel({ panel, name, top, now, filters, reading, hasFailed }: Props) {
  const { id, tabs } = panel;
  return (
    <section class={`card panel ${id}`} aria-labelledby={`${id}-title`}>
      <div class="panel-head">
        <h2 id={`${id}-title`}>{texts.panels[id]}</h2>
        {tabs.length > 1 && <Tabs panel={panel} chosen={name} />}
      </div>
      <div
        id={`${id}-list`}
        {...(tabs.length > 1 && { role: 'tabpanel', 'aria-labelledby': `${id}-${name}` })}
      >
        <div class="columns quiet" aria-hidden="true">
          <span>{texts.names[name]}</span>
          <span>{texts.counts[describe[name].counts]}</span>
          <span>{texts.share}</span>
        </div>
        {top ? (
          <Entries {...{ name, filters, reading, now }} entries={top.entries} />
        ) : (
          !hasFailed && <Bones />
        )}
      </div>
      <p class="panel-foot">
        {top && top.total > 0 && (
          <a {...linkTo({ more: name, search: undefined, sort: undefined, at: undefined })}>
            {top.total > top.entries.length ? texts.all(numberText(top.total)) : texts.details}
            <span class="hidden"> ({texts.names[name]})</span>
          </a>
        )}
      </p>
    </section>
  );
}

function Tabs({ panel: { id, tabs }, chosen }: { panel: PanelKind; chosen: Name }) {
  const choose = (tab: Name) => go({ [id]: tab === tabs[0] ? undefined : tab }, 'replace');
  const onKeyDown = (event: KeyboardEvent) => {
    const steps: Record<string, number> = { ArrowRight: 1, ArrowLeft: -1 };
    const step = steps[event.key];
    if (step === undefined) return;
    const next = tabs[(tabs.indexOf(chosen) + step + tabs.length) % tabs.length]!;
    choose(next);
    document.getElementById(`${id}-${next}`)?.focus();
  };
  return (
    <div role="tablist" class="tabs" aria-labelledby={`${id}-title`} onKeyDown={onKeyDown}>
      {tabs.map((tab) => (
        <button
          key={tab}
          id={`${id}-${tab}`}
          role="tab"
          aria-selected={tab === chosen}
          aria-controls={`${id}-list`}
          tabIndex={tab === chosen ? 0 : -1}
          onClick={() => choose(tab)}
        >
          {texts.tabs[tab] ?? texts.names[tab]}
        </button>
      ))}
    </div>
  );
}
