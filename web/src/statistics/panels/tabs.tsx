import { go } from '../../shared/address';
import { TabList } from '../../shared/controls/tab-list';
import { kindsOf, panelChange, type PanelKind, type Shown } from './panels';
import { texts } from '../../shared/texts';
import { headingOf } from '../../shared/language/value-labels';

interface Props {
  panel: PanelKind;
  shown: Shown;
}

const tabText = (first: Shown) => texts.tabs[first] ?? (first === 'map' ? '' : headingOf(first));

export function Tabs({ panel, shown }: Props) {
  const { id, tabs } = panel;
  return (
    <TabList
      id={id}
      titleId={`${id}-title`}
      controls={`${id}-list`}
      tabs={tabs.map(([first]) => ({ key: first, text: tabText(first) }))}
      chosen={kindsOf(panel, shown)[0]}
      onChosen={(first) => go(panelChange(panel, first), 'replace')}
    />
  );
}
