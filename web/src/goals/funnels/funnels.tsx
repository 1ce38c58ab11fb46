import { useState } from 'preact/hooks';
import { RemovalDialog } from '../../console/forms/removal-dialog';
import { go } from '../../shared/address';
import { later } from '../../shared/later';
import { Trouble } from '../../shared/notices';
import { singularOf } from '../../shared/language/value-labels';
import { Choice } from '../../statistics/filters/choices';
import { Bones } from '../../statistics/panels/entries';
import type { Own } from '../../statistics/reading';
import { type Funnel, remove, store, useDefined } from '../definitions';
import { DEMO_DOMAIN, EXAMPLE_FUNNEL } from '../examples';
import { Explained } from '../explained';
import type { View } from '../view';
import { words } from '../words';
import { type Breakdown, BREAKDOWNS } from './answer';
import './funnels.css';
import { FunnelResult } from './funnel-result';

const FunnelDialog = later(async () => (await import('./funnel-dialog')).FunnelDialog);
const { funnels } = words;

/** What a dialog does with the funnel that is shown, or with a new one. */
type Act = 'create' | 'edit' | 'delete';

/** A funnel that was stored after the list was loaded. */
interface Saved {
  funnel: Funnel;
  over: Funnel[];
}

const withFunnel = (list: Funnel[], funnel: Funnel) => [...list.filter(({ id }) => id !== funnel.id), funnel];

/** The funnel of the address, or the first, and how far visitors got in it. */
export function Funnels({ own, ...view }: View & { own: Own }) {
  const [turn, setTurn] = useState(0);
  const [act, setAct] = useState<Act>();
  const defined = useDefined(own, 'funnels', turn);
  const { failure, retry } = defined;
  const [saved, setSaved] = useState<Saved>();
  if (failure) return <Trouble failure={failure} retry={retry} />;
  if (!defined.list) return <Bones rows={4} />;
  const list = saved?.over === defined.list ? withFunnel(defined.list, saved.funnel) : defined.list;
  const funnel = list.find(({ name }) => name === view.address.get('funnel')) ?? list[0];
  const onChanged = (changed?: Funnel) => {
    setSaved(changed && { funnel: changed, over: defined.list! });
    setTurn(turn + 1);
    go({ funnel: changed?.name }, 'replace');
  };
  const dialog = { own, places: view.reading.places, onClosed: () => setAct(undefined) };
  return (
    <>
      {funnel ? (
        <>
          <Tools {...{ own, list, funnel, view }} onAct={setAct} />
          <FunnelResult {...view} funnel={funnel} breakdown={breakdownIn(view.address)} />
        </>
      ) : (
        <NoFunnels {...{ own, reading: view.reading, onChanged }} onCreating={() => setAct('create')} />
      )}
      {(act === 'create' || act === 'edit') && (
        <FunnelDialog {...dialog} funnel={act === 'edit' ? funnel : undefined} onSaved={onChanged} />
      )}
      {act === 'delete' && funnel && <Removal {...dialog} funnel={funnel} onRemoved={() => onChanged()} />}
    </>
  );
}

interface RemovalProps {
  own: Own;
  funnel: Funnel;
  onRemoved: () => void;
  onClosed: () => void;
}

function Removal({ own, funnel, onRemoved, onClosed }: RemovalProps) {
  return (
    <RemovalDialog
      words={funnels.removal}
      name={funnel.name}
      deleted={funnels.deleted}
      remove={() => remove(own, 'funnels', funnel.id)}
      {...{ onRemoved, onClosed }}
    />
  );
}

interface NoFunnelsProps {
  own: Own;
  reading: View['reading'];
  onCreating: () => void;
  onChanged: (created: Funnel) => void;
}

function NoFunnels({ own, reading, onCreating, onChanged }: NoFunnelsProps) {
  return (
    <Explained
      text={words.none.funnels}
      mayChange={own.mayChange}
      create={funnels.create}
      example={reading.domain === DEMO_DOMAIN ? funnels.example : undefined}
      onCreating={onCreating}
      storeExample={async () => onChanged(await store(own, 'funnels', EXAMPLE_FUNNEL))}
    />
  );
}

const breakdownIn = (address: URLSearchParams) =>
  BREAKDOWNS.find((name) => name === address.get('breakdown'));

interface ToolsProps {
  own: Own;
  list: Funnel[];
  funnel: Funnel;
  view: View;
  onAct: (act: Act) => void;
}

/** Chooses a funnel and what to break it down by. */
function Tools({ own, list, funnel, view: { address }, onAct }: ToolsProps) {
  const by: (Breakdown | '')[] = ['', ...BREAKDOWNS];
  return (
    <div class="view-tools">
      <Choice
        label={funnels.choose}
        of={list.map(({ name }) => name)}
        wordOf={(name) => name}
        chosen={funnel.name}
        onChosen={(name) => go({ funnel: name })}
      />
      <Choice
        label={funnels.by}
        of={by}
        wordOf={(name) => `${funnels.by}: ${name === '' ? funnels.byNothing : singularOf(name)}`}
        chosen={breakdownIn(address) ?? ''}
        onChosen={(name) => go({ breakdown: name })}
      />
      {own.mayChange && (
        <span class="buttons">
          {(['edit', 'delete', 'create'] as const).map((act) => (
            <button key={act} class={act === 'delete' ? 'plain danger' : 'plain'} onClick={() => onAct(act)}>
              {funnels[act]}
            </button>
          ))}
        </span>
      )}
    </div>
  );
}
