import type { ComponentChildren } from 'preact';
import type { Places } from '../../statistics/page-answer';
import { texts } from '../../shared/texts';
import type { Website } from '../client';
import { Copied } from './copied';
import type { Surroundings } from '../surroundings';
import { FirstEvent } from './first-event';

interface Props {
  website: Website;
  places: Places;
  surroundings: Surroundings;
  /** Leads to the statistics. */
  children: ComponentChildren;
}

/** What a website embeds, and whether that works. */
export function Snippet({ website: { domain }, places, surroundings, children }: Props) {
  const { base, timezone } = surroundings;
  return (
    <section class="card snippet">
      <h2>{texts.console.snippet.title}</h2>
      <p class="quiet">{texts.console.snippet.text}</p>
      <Copied text={`<script defer src="${base}/tracker.js"></script>`} />
      <FirstEvent {...{ places, domain, base, timezone }}>{children}</FirstEvent>
    </section>
  );
}
