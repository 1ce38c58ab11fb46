import { useEffect, useState } from 'preact/hooks';

/** Letters that follow each other faster than this are one text. */
export const TYPING_MS = 150;

/** What was typed, once typing pauses. */
export function useTyped(text: string): string {
  const [typed, setTyped] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setTyped(text), TYPING_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return typed;
}
