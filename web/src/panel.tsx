import { go, linkTo } from './address';
import type { StatName, StatSummary } from './api';
import { numberText, shareText, shortNumberText } from './format';
import { texts } from './texts';
import { Value } from './value';

type PanelId = keyof typeof texts.panels;

export interface PanelKind {
  id: PanelId;
  tabs: readonly [StatName, ...StatName[]];
}

/** All names but those that are drawn over time. */
export const PANELS: readonly PanelKind[] = [
  { id: 'pages', tabs: ['page'] },
  { id: 'sources', tabs: ['referrer', 'campaign'] },
  { id: 'places', tabs: ['country', 'city', 'continent', 'language'] },
  { id: 'technology', tabs: ['browser', 'operating_system', 'device', 'screen_resolution'] },
  { id: 'events', tabs: ['event'] },
];

export function tabIn(address: URLSearchParams, { id, tabs }: PanelKind): StatName {
  return tabs.find((tab) => tab === address.get(id)) ?? tabs[0];
}

interface Props {
  panel: PanelKind;
  name: StatName;
  summary: StatSummary | undefined;
  hasFailed: boolean;
  domain: string;
}

export function Panel({ panel, name, summary, hasFailed, domain }: Props) {
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
          <span>{summary ? texts.counts[summary.counts] : '\u00a0'}</span>
          <span>{texts.share}</span>
        </div>
        {summary ? <Entries summary={summary} domain={domain} /> : !hasFailed && <Bones />}
      </div>
      <p class="panel-foot">
        {summary && summary.total > 0 && (
          <a {...linkTo({ more: name, search: undefined, sort: undefined, at: undefined })}>
            {summary.total > summary.entries.length ? texts.all(numberText(summary.total)) : texts.details}
            <span class="hidden"> ({texts.names[name]})</span>
          </a>
        )}
      </p>
    </section>
  );
}

function Tabs({ panel: { id, tabs }, chosen }: { panel: PanelKind; chosen: StatName }) {
  const choose = (tab: StatName) => go({ [id]: tab === tabs[0] ? undefined : tab }, 'replace');
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
          {texts.names[tab]}
        </button>
      ))}
    </div>
  );
}

function Entries({ summary: { name, entries, sum }, domain }: { summary: StatSummary; domain: string }) {
  if (entries.length === 0) return <p class="nothing quiet">{texts.empty.text}</p>;
  const largest = Math.max(1, ...entries.map(({ count }) => count));
  return (
    <ol class="entries">
      {entries.map((entry) => (
        <li key={entry.value}>
          <span class="bar" style={{ '--part': entry.count / largest }} />
          <Value name={name} entry={entry} domain={domain} />
          <span class="count" title={numberText(entry.count)}>
            {shortNumberText(entry.count)}
          </span>
          <span class="part quiet">{shareText(entry.count, sum)}</span>
        </li>
      ))}
    </ol>
  );
}

function Bones() {
  return (
    <div class="entries" aria-hidden="true">
      {Array.from({ length: 10 }, (_, row) => (
        <span key={row} class="bone" style={{ width: `${92 - 8 * row}%` }} />
      ))}
    </div>
  );
}
