import { useEffect, useRef, useState } from 'preact/hooks';
import { Sign } from '../../shared/sign';
import { texts } from '../../shared/texts';
import './copied.css';

const CONFIRMED_MS = 2500;

interface Props {
  text: string;
  /** Of the button. */
  label?: string;
  /** Makes the text a link. */
  href?: string;
}

/** A text with a button that copies it, or selects it if copying is not allowed. */
export function Copied({ text, label = texts.console.copy, href }: Props) {
  const code = useRef<HTMLElement>(null);
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setCopied(false), CONFIRMED_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copy = () => {
    getSelection()!.selectAllChildren(code.current!);
    navigator.clipboard?.writeText(text).then(
      () => setCopied(true),
      () => setCopied(false),
    );
  };
  return (
    <div class="copied">
      <code ref={code}>{href === undefined ? text : <a href={href}>{text}</a>}</code>
      <button
        type="button"
        class={`plain copy ${isCopied ? 'is-copied' : ''}`}
        aria-label={label}
        onClick={copy}
      >
        <span aria-hidden="true">{label}</span>
        <span aria-hidden="true">
          <Sign name="tick" /> {texts.console.copied}
        </span>
      </button>
      <span role="status" class="hidden">
        {isCopied ? texts.console.copied : ''}
      </span>
    </div>
  );
}
