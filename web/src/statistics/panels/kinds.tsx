import { go } from '../../shared/address';
import { isProperty, type Name } from '../../shared/names';
import { kindsOf, panelChange, type PanelKind, type Shown } from './panels';
import { texts } from '../../shared/texts';
import { headingOf, singularOf } from '../../shared/language/value-labels';

interface Props {
  panel: PanelKind;
  shown: Shown;
  /** The name that is listed. */
  name: Name;
}

/** A choice between the names of a tab, in place of a heading that would repeat the tab's. */
export function Kinds({ panel, shown, name }: Props) {
  const kinds = kindsOf(panel, shown);
  if (isProperty(name)) return <OneProperty panel={panel} name={name} />;
  if (shown === 'map' && name === 'city') return <span>{headingOf(name)}</span>;
  if (kinds.length === 1) return <span />;
  return (
    <span class="kinds" role="group" aria-label={texts.kind}>
      {kinds.map((kind) => (
        <button
          key={kind}
          aria-pressed={kind === name}
          onClick={() => go(panelChange(panel, kind), 'replace')}
        >
          {kind === 'map' ? '' : (texts.kinds[kind] ?? singularOf(kind))}
        </button>
      ))}
    </span>
  );
}

function OneProperty({ panel, name }: Pick<Props, 'panel' | 'name'>) {
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
