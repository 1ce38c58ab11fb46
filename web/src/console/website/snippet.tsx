import type { ComponentChildren } from 'preact';
import { texts } from '../../shared/texts';
import type { Surroundings, Website } from '../client';
import { FirstEvent } from './first-event';
import { Guides } from './guides';
import { tooNear } from './reach';

interface Props {
  website: Website;
  surroundings: Surroundings;
  onReceived?: (() => void) | undefined;
  /** A link to the statistics. */
  children: ComponentChildren;
}

/** The script for a website, and whether it works. */
export function Snippet({ website, surroundings, onReceived, children }: Props) {
  const { base } = surroundings;
  const reach = tooNear(base, website.domain);
  return (
    <section class="card snippet">
      <h2>{texts.console.snippet.title}</h2>
      <Guides base={base} />
      {reach && <p class="notice">{texts.console.snippet.onlyFrom[reach]}</p>}
      <FirstEvent {...{ website, base, onReceived }}>{children}</FirstEvent>
    </section>
  );
}
