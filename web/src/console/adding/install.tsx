import { shownDomain } from '../../../../engine/ground/shown-domain';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { texts } from '../../shared/texts';
import { Steps } from './steps';
import { useTitle } from '../use-title';

interface Props {
  domain: string;
  /** The script, and the check that waits for the first visit. */
  snippet: (onReceived: () => void) => ComponentChildren;
}

/** The steps after a website was added. */
export function Install({ domain, snippet }: Props) {
  const [isReceived, setReceived] = useState(false);
  const shown = shownDomain(domain);
  useTitle(texts.console.options.sections.install, shown);
  return (
    <main class="column">
      <h1>{shown}</h1>
      <Steps current={isReceived ? 'done' : 'script'} />
      {snippet(() => setReceived(true))}
    </main>
  );
}
