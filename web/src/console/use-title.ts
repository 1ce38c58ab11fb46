import { useEffect } from 'preact/hooks';
import { texts } from '../shared/texts';

/** Names the tab of the browser. */
export function useTitle(what?: string): void {
  useEffect(() => {
    document.title = what === undefined ? texts.console.title : texts.console.titleOf(what);
  }, [what]);
}
