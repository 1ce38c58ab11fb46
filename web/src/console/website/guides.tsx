import { go, useAddress } from '../../shared/address';
import { Copied } from '../forms/copied';
import { codeOf, type Guide, GUIDES } from './guide-code';
import { texts } from '../../shared/texts';
import './guides.css';

const words = texts.console.snippet.guides;
const STEPS: Record<string, number> = { ArrowRight: 1, ArrowLeft: -1 };
const idOf = (guide: Guide) => `guide-${guide}`;
const LIST = 'guide-steps';

/** How to install the script, by what the website is made with. */
export function Guides({ base }: { base: string }) {
  const address = useAddress();
  const chosen = GUIDES.find((guide) => guide === address.get('guide')) ?? GUIDES[0];
  const choose = (guide: Guide) => go({ guide: guide === GUIDES[0] ? undefined : guide }, 'replace');
  const onKeyDown = ({ key }: KeyboardEvent) => {
    const step = STEPS[key];
    if (step === undefined) return;
    const next = GUIDES[(GUIDES.indexOf(chosen) + step + GUIDES.length) % GUIDES.length]!;
    choose(next);
    document.getElementById(idOf(next))?.focus();
  };
  const { steps } = words[chosen];
  return (
    <div class="guides">
      <div role="tablist" class="tabs" aria-label={words.label} onKeyDown={onKeyDown}>
        {GUIDES.map((guide) => (
          <button
            key={guide}
            id={idOf(guide)}
            role="tab"
            aria-selected={guide === chosen}
            aria-controls={LIST}
            tabIndex={guide === chosen ? 0 : -1}
            onClick={() => choose(guide)}
          >
            {words[guide].title}
          </button>
        ))}
      </div>
      <div id={LIST} role="tabpanel" aria-labelledby={idOf(chosen)}>
        <ol class="guide-steps">
          {steps.map((step) => (
            <li key={step}>{step}</li>
          ))}
        </ol>
        <Copied key={chosen} text={codeOf(chosen, base)} />
      </div>
    </div>
  );
}
