import { go } from '../../shared/address';
import { kindsOf, panelChange, type PanelKind, type Shown } from './panels';
import { texts } from '../../shared/texts';
import { headingOf } from '../../shared/language/wording';

interface Props {
  panel: PanelKind;
  shown: Shown;
}

const STEPS: Record<string, number> = { ArrowRight: 1, ArrowLeft: -1 };
const tabText = (first: Shown) => texts.tabs[first] ?? (first === 'map' ? '' : headingOf(first));

export function Tabs({ panel, shown }: Props) {
  const { id, tabs } = panel;
  const chosen = kindsOf(panel, shown);
  const choose = (first: Shown) => go(panelChange(panel, first), 'replace');
  const onKeyDown = (event: KeyboardEvent) => {
    const step = STEPS[event.key];
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
