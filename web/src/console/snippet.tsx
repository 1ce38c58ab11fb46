import { texts } from '../texts';
import { Copied } from './copied';
import { FirstEvent } from './first-event';

interface Props {
  base: string;
  websiteId: number;
  timezone: string;
}

/** What a website embeds, and whether that works. */
export function Snippet({ base, websiteId, timezone }: Props) {
  return (
    <section class="card snippet">
      <h2>{texts.console.snippet.title}</h2>
      <p class="quiet">{texts.console.snippet.text}</p>
      <Copied text={`<script defer src="${base}/tracker.js"></script>`} />
      <FirstEvent websiteId={websiteId} timezone={timezone} />
    </section>
  );
}
