import { texts } from '../texts';
import { Copied } from './copied';

/** What a website embeds. */
export function Snippet({ base }: { base: string }) {
  return (
    <section class="card snippet">
      <h2>{texts.console.snippet.title}</h2>
      <p class="quiet">{texts.console.snippet.text}</p>
      <Copied text={`<script defer src="${base}/tracker.js"></script>`} />
    </section>
  );
}
