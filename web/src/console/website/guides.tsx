import { useState } from 'preact/hooks';
import { go, useAddress } from '../../shared/address';
import { Copied } from '../forms/copied';
import { codeOf, type Extra, EXTRAS, type Guide, GUIDES } from './guide-code';
import { TabList } from '../../shared/controls/tab-list';
import { texts } from '../../shared/texts';
import './guides.css';

const words = texts.console.snippet.guides;
const idOf = (guide: Guide) => `guide-${guide}`;
const LIST = 'guide-steps';

/** How to install the script, by what the website is made with. */
export function Guides({ base }: { base: string }) {
  const address = useAddress();
  const [extras, setExtras] = useState<Extra[]>([]);
  const chosen = GUIDES.find((guide) => guide === address.get('guide')) ?? GUIDES[0];
  const choose = (guide: Guide) => go({ guide: guide === GUIDES[0] ? undefined : guide }, 'replace');
  const { steps } = words[chosen];
  return (
    <div class="guides">
      <TabList
        id="guide"
        title={words.label}
        controls={LIST}
        tabs={GUIDES.map((guide) => ({ key: guide, text: words[guide].title }))}
        chosen={chosen}
        onChosen={choose}
      />
      <div id={LIST} role="tabpanel" aria-labelledby={idOf(chosen)}>
        <ol class="guide-steps">
          {steps.map((step) => (
            <li key={step}>{step}</li>
          ))}
        </ol>
        <Copied key={chosen} text={codeOf(chosen, base, extras)} />
      </div>
      <Extras chosen={extras} onChosen={setExtras} />
    </div>
  );
}

const ALL = Object.keys(EXTRAS) as Extra[];

/** What the script counts besides page views. */
function Extras({ chosen, onChosen }: { chosen: Extra[]; onChosen: (extras: Extra[]) => void }) {
  return (
    <fieldset class="extras">
      <legend class="quiet">{words.also}</legend>
      {ALL.map((extra) => (
        <label key={extra}>
          <input
            type="checkbox"
            checked={chosen.includes(extra)}
            onChange={({ currentTarget: { checked } }) =>
              onChosen(ALL.filter((one) => (one === extra ? checked : chosen.includes(one))))
            }
          />
          {texts.panels[extra]}
        </label>
      ))}
    </fieldset>
  );
}
