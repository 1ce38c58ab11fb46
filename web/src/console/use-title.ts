import { useLayoutEffect } from 'preact/hooks';
import { texts } from '../shared/texts';

/** Sets the title of the browser's tab. Unknown parts are left out. */
export function useTitle(...parts: (string | undefined)[]): void {
  const title = texts.console.titleOf(...parts.filter((part) => part !== undefined));
  useLayoutEffect(() => {
    document.title = title;
  }, [title]);
}
