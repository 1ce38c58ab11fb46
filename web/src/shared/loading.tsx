import { useEffect, useState } from 'preact/hooks';
import { texts } from './texts';

const SLOW_MS = 3000;

/** For those who do not see what is yet to come. */
export function Loading({ is }: { is: boolean }) {
  const [isSlow, setSlow] = useState(false);
  useEffect(() => {
    setSlow(false);
    if (!is) return;
    const timer = setTimeout(() => setSlow(true), SLOW_MS);
    return () => clearTimeout(timer);
  }, [is]);
  return (
    <p role="status" class="hidden">
      {is ? (isSlow ? texts.slow : texts.loading) : ''}
    </p>
  );
}
