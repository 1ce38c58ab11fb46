import { Sign } from '../../shared/sign';
import { texts } from '../../shared/texts';
import './steps.css';

const words = texts.console.newWebsite.steps;
const STEPS = ['domain', 'script', 'visit'] as const;

/** Where one is on the way from a domain to its first visit. */
export function Steps({ current }: { current: (typeof STEPS)[number] | 'done' }) {
  const at = current === 'done' ? STEPS.length : STEPS.indexOf(current);
  return (
    <ol class="steps" aria-label={words.label}>
      {STEPS.map((step, index) => (
        <li key={step} class={index < at ? 'is-done' : ''} aria-current={index === at ? 'step' : undefined}>
          <span class="step-number" aria-hidden="true">
            {index < at ? <Sign name="tick" /> : index + 1}
          </span>
          {words[step]}
        </li>
      ))}
    </ol>
  );
}
