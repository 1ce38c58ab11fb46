import { shownDomain } from '../../../../../engine/ground/shown-domain';
import { useState } from 'preact/hooks';
import { texts } from '../../../shared/texts';
import { Copied } from '../../forms/copied';
import { Switch } from './option-fields';

const words = texts.console.options.ownVisits;
/** The tracker reads it in the storage of the website's own origin. */
const FLAG = 'milepost_ignore';

/** How an owner's browser is not counted: by a switch if the console has the website's origin. */
export function OwnVisits({ domain }: { domain: string }) {
  const isHere = location.host.replace(/^www\./, '') === domain;
  return (
    <section class="card section">
      <h2>{words.title}</h2>
      {isHere ? <OwnSwitch /> : <Elsewhere domain={domain} />}
    </section>
  );
}

function OwnSwitch() {
  const [isIgnored, setIgnored] = useState(readFlag);
  if (isIgnored === undefined) return <p class="quiet">{words.blocked}</p>;
  const toggle = (isOn: boolean) => {
    if (isOn) localStorage.setItem(FLAG, '1');
    else localStorage.removeItem(FLAG);
    setIgnored(isOn);
  };
  return (
    <Switch
      name="ignore"
      label={words.label}
      hint={words.here(location.host)}
      isOn={isIgnored}
      onChange={toggle}
    />
  );
}

/** Undefined if storage is forbidden. */
function readFlag(): boolean | undefined {
  try {
    return localStorage.getItem(FLAG) !== null;
  } catch {
    return undefined;
  }
}

function Elsewhere({ domain }: { domain: string }) {
  return (
    <>
      <p class="quiet">{words.away(shownDomain(domain))}</p>
      <Copied text={`localStorage.${FLAG} = '1'`} />
      <p class="quiet">{words.undo}</p>
      <Copied text={`delete localStorage.${FLAG}`} />
    </>
  );
}
