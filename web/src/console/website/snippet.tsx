import type { ComponentChildren } from 'preact';
import type { Places } from '../../statistics/page-answer';
import { texts } from '../../shared/texts';
import type { Surroundings, Website } from '../client';
import { FirstEvent } from './first-event';
import { useRef, useState } from 'preact/hooks';

interface Props {
  website: Website;
  places: Places;
  surroundings: Surroundings;
  /** A link to the statistics. */
  children: ComponentChildren;
}

/** The script for a website, and whether it works. */
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

/** A text with a button that copies it, or selects it if copying is not allowed. */
export function Copied({ text }: { text: string }) {
  const code = useRef<HTMLElement>(null);
  const [isCopied, setCopied] = useState(false);
  const copy = () => {
    getSelection()!.selectAllChildren(code.current!);
    navigator.clipboard?.writeText(text).then(
      () => setCopied(true),
      () => setCopied(false),
    );
  };
  return (
    <div class="copied">
      <code ref={code}>{text}</code>
      <button type="button" class="plain" onClick={copy}>
        {texts.console.copy}
      </button>
      <span role="status" class="hidden">
        {isCopied ? texts.console.copied : ''}
      </span>
    </div>
  );
}
