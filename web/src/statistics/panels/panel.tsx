import { go, linkTo } from '../../shared/address';
import { Bones, Entries } from './entries';
import type { Filter } from '../filters/filters';
import { numberText } from '../../shared/format';
import { described, isProperty, type Name } from '../../shared/names';
import type { Top } from '../page-answer';
import { kindsOf, panelChange, type PanelKind } from './panels';
import type { Counts } from '../chart/series';
import type { Reading } from '../reading';
import { texts } from '../../shared/texts';
import { headingOf, singularOf } from '../../shared/wording';

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
  const hasSums = top !== undefined && top.sums.size > 0;
  return (
    <section class={`card panel ${id}`} aria-labelledby={`${id}-title`}>
      <div class="panel-head">
        <h2 id={`${id}-title`}>{texts.panels[id]}</h2>
        {tabs.length > 1 && <Tabs panel={panel} name={name} />}
      </div>
      <div
        id={`${id}-list`}
        {...(tabs.length > 1 && {
          role: 'tabpanel',
          'aria-labelledby': `${id}-${kindsOf(panel, name)[0]}`,
        })}
      >
        <Columns panel={panel} name={name} hasSums={hasSums} />
        {top ? <Entries {...{ name, filters, reading, now }} {...top} /> : !hasFailed && <Bones />}
      </div>
      <p class="panel-foot">
        {top && top.total > 0 && !described(name).isListed && (
          <a {...linkTo({ more: name, search: undefined, sort: undefined, at: undefined })}>
            {top.total > top.entries.length ? texts.all(numberText(top.total)) : texts.details}
            <span class="hidden"> ({headingOf(name)})</span>
          </a>
        )}
      </p>
    </section>
  );
}

function Columns({ panel, name, hasSums }: ChoiceProps & { hasSums: boolean }) {
  return (
    <div class={hasSums ? 'columns quiet with-sums' : 'columns quiet'}>
      <Kinds panel={panel} name={name} />
      {hasSums && <span aria-hidden="true">{texts.value}</span>}
      <span aria-hidden="true">{texts.counts[described(name).counts]}</span>
      <span aria-hidden="true">{texts.share}</span>
    </div>
  );
}

const tabText = (name: Name) => texts.tabs[name] ?? headingOf(name);

interface ChoiceProps {
  panel: PanelKind;
  name: Name;
}

function Tabs({ panel, name }: ChoiceProps) {
  const { id, tabs } = panel;
  const chosen = kindsOf(panel, name);
  const choose = (first: Name) => go(panelChange(panel, first), 'replace');
  const onKeyDown = (event: KeyboardEvent) => {
    const steps: Record<string, number> = { ArrowRight: 1, ArrowLeft: -1 };
    const step = steps[event.key];
    if (step === undefined) return;
    const [next] = tabs[(tabs.indexOf(chosen) + step + tabs.length) % tabs.length]!;
    choose(next);
    document.getElementById(`${id}-${next}`)?.focus();
  };
  return (
    <div role="tablist" class="tabs" aria-labelledby={`${id}-title`} onKeyDown={onKeyDown}>
      {tabs.map((kinds) => (
        <button
          key={kinds[0]}
          id={`${id}-${kinds[0]}`}
          role="tab"
          aria-selected={kinds === chosen}
          aria-controls={`${id}-list`}
          tabIndex={kinds === chosen ? 0 : -1}
          onClick={() => choose(kinds[0])}
        >
          {tabText(kinds[0])}
        </button>
      ))}
    </div>
  );
}

/** A choice between the names of a tab, in place of its heading. */
function Kinds({ panel, name }: ChoiceProps) {
  const kinds = kindsOf(panel, name);
  if (isProperty(name)) return <OneProperty panel={panel} name={name} />;
  if (kinds.length === 1) return <span aria-hidden="true">{headingOf(name)}</span>;
  return (
    <span class="kinds" role="group" aria-label={texts.kind}>
      {kinds.map((kind) => (
        <button
          key={kind}
          aria-pressed={kind === name}
          onClick={() => go(panelChange(panel, kind), 'replace')}
        >
          {texts.kinds[kind] ?? singularOf(kind)}
        </button>
      ))}
    </span>
  );
}

function OneProperty({ panel, name }: ChoiceProps) {
  const [all] = kindsOf(panel, name);
  return (
    <span class="kinds">
      <button onClick={() => go(panelChange(panel, all), 'replace')}>{texts.allProperties}</button>
      <b>
        <bdi>{headingOf(name)}</bdi>
      </b>
    </span>
  );
}
