import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { Search } from '../../shared/controls/search';
import { texts } from '../../shared/texts';
import './more.css';

interface Props {
  heading: string;
  /** The class of the list. */
  kind: string;
  address: URLSearchParams;
  isLoading?: boolean;
  hasRows: boolean;
  onDownload: () => void;
  onClosed: () => void;
  /** Instead of rows, or about them. */
  notice?: ComponentChildren;
  foot?: ComponentChildren;
  children: ComponentChildren;
}

const TITLE = 'more-title';

/** A whole list with a search, which the address opens and closes. */
export function ListDialog(props: Props) {
  const { heading, kind, address, isLoading, hasRows, onDownload, onClosed, notice, foot, children } = props;
  const dialog = useRef<HTMLDialogElement>(null);
  // To be closed returns the focus, to be removed does not.
  useLayoutEffect(() => {
    const shown = dialog.current!;
    shown.showModal();
    return () => shown.close();
  }, []);
  // Safari only empties a search at Escape, also an empty one.
  const closeByKey = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || (event.target as HTMLInputElement).value) return;
    event.preventDefault();
    onClosed();
  };
  return (
    <dialog
      ref={dialog}
      class="more"
      aria-labelledby={TITLE}
      onCancel={(event) => (event.preventDefault(), onClosed())}
      onKeyDown={closeByKey}
      onClick={(event) => event.target === dialog.current && onClosed()}
    >
      <div class="more-head">
        <h2 id={TITLE}>{heading}</h2>
        <button class="close" onClick={onClosed} aria-label={texts.more.close}>
          <svg viewBox="0 0 16 16" aria-hidden="true">
            <path d="m4 4 8 8m0-8-8 8" />
          </svg>
        </button>
      </div>
      <div class="tools">
        <Search address={address} isFocused />
        <button class="plain" onClick={onDownload} disabled={!hasRows}>
          {texts.chart.download}
        </button>
      </div>
      {notice}
      <div class={kind} aria-busy={isLoading} tabIndex={0} role="region" aria-labelledby={TITLE}>
        {children}
      </div>
      {foot}
    </dialog>
  );
}
