import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

interface Props {
  /** The class of the place, which exists before its content. */
  kind: string;
  isNeeded: boolean;
  children: ComponentChildren;
}

/** Half a screen before it is seen. */
const AHEAD = '50% 0px';

/** Is drawn once it is needed or nearly seen. */
export function Near({ kind, isNeeded, children }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const [isNear, setNear] = useState(false);
  const isDrawn = useRef(false);
  isDrawn.current ||= isNear || isNeeded;
  useEffect(() => {
    const observer = new IntersectionObserver(
      (entries) => entries.some(({ isIntersecting }) => isIntersecting) && setNear(true),
      { rootMargin: AHEAD },
    );
    observer.observe(place.current!);
    return () => observer.disconnect();
  }, []);
  return (
    <div class={kind} ref={place}>
      {isDrawn.current && children}
    </div>
  );
}
