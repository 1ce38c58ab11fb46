interface Tab<T extends string> {
  key: T;
  text: string;
}

interface Props<T extends string> {
  /** The beginning of the tabs' ids. */
  id: string;
  /** The id of the list's title, or its text. */
  titleId?: string;
  title?: string;
  /** The id of what the tabs select. */
  controls: string;
  tabs: readonly Tab<T>[];
  chosen: T;
  onChosen: (key: T) => void;
}

const STEPS: Record<string, number> = { ArrowRight: 1, ArrowLeft: -1 };

/** Tabs that arrow keys choose. */
export function TabList<T extends string>(props: Props<T>) {
  const { id, titleId, title, controls, tabs, chosen, onChosen } = props;
  const idOf = (key: string) => `${id}-${key}`;
  const onKeyDown = ({ key }: KeyboardEvent) => {
    const step = STEPS[key];
    if (step === undefined) return;
    const at = tabs.findIndex((tab) => tab.key === chosen);
    const next = tabs[(at + step + tabs.length) % tabs.length]!.key;
    onChosen(next);
    document.getElementById(idOf(next))?.focus();
  };
  return (
    <div role="tablist" class="tabs" aria-labelledby={titleId} aria-label={title} onKeyDown={onKeyDown}>
      {tabs.map(({ key, text }) => (
        <button
          key={key}
          id={idOf(key)}
          role="tab"
          aria-selected={key === chosen}
          aria-controls={controls}
          tabIndex={key === chosen ? 0 : -1}
          onClick={() => onChosen(key)}
        >
          {text}
        </button>
      ))}
    </div>
  );
}
