import { useLayoutEffect } from 'preact/hooks';
import { texts } from '../shared/texts';

/** Sets the title of the browser's tab. */
export function useTitle(what?: string): void {
  useLayoutEffect(() => {
    document.title = what === undefined ? texts.console.title : texts.console.titleOf(what);
  }, [what]);
}
