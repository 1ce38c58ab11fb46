import { useEffect, useState } from 'preact/hooks';
import { Sign } from '../../shared/sign';
import './toast.css';

const SHOWN = 'toast';
const FOR_MS = 4000;

/** Confirms something at the edge of the window, where it moves nothing. */
export function showToast(text: string): void {
  dispatchEvent(new CustomEvent(SHOWN, { detail: text }));
}

/** The place of toasts. It always exists, so that screen readers announce its changes. */
export function Toasts() {
  const [shown, setShown] = useState({ text: '', number: 0 });
  useEffect(() => {
    const show = ({ detail }: CustomEventInit<string>) =>
      setShown(({ number }) => ({ text: detail!, number: number + 1 }));
    addEventListener(SHOWN, show as EventListener);
    return () => removeEventListener(SHOWN, show as EventListener);
  }, []);
  useEffect(() => {
    if (shown.text === '') return;
    const timer = setTimeout(() => setShown(({ number }) => ({ text: '', number })), FOR_MS);
    return () => clearTimeout(timer);
  }, [shown.number]);
  return (
    <div class="toasts" role="status">
      {shown.text !== '' && (
        <p key={shown.number} class="toast">
          <Sign name="tick" />
          {shown.text}
        </p>
      )}
    </div>
  );
}
