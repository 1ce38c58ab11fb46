import { useRef, useState } from 'preact/hooks';
import { texts } from '../shared/texts';

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
