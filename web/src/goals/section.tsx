import type { FunctionComponent } from 'preact';
import { go } from '../shared/address';
import { later } from '../shared/later';
import { TabList } from '../shared/controls/tab-list';
import type { Own } from '../statistics/reading';
import './goals.css';
import { OwnGoals, SharedGoals } from './panel/goals';
import type { View } from './view';
import { words } from './words';

const Funnels = later(async () => (await import('./funnels/funnels')).Funnels);
const Journeys = later(async () => (await import('./journeys/journeys')).Journeys);

const CONTENTS: Record<keyof typeof words.tabs, FunctionComponent<View & { own: Own }>> = {
  goals: OwnGoals,
  funnels: (props) => <Funnels {...props} />,
  journeys: (props) => <Journeys {...props} />,
};
const TABS = Object.keys(CONTENTS) as (keyof typeof CONTENTS)[];

/** Goals for any reader, and for the owner funnels and journeys beside them. */
export function GoalsSection(view: View) {
  const { own } = view.reading;
  return own ? <OwnSection {...view} own={own} /> : <SharedGoals {...view} />;
}

function OwnSection({ own, ...view }: View & { own: Own }) {
  const chosen = TABS.find((tab) => tab === view.address.get('goals')) ?? 'goals';
  const Content = CONTENTS[chosen];
  return (
    <section class="card panel goals" aria-labelledby="goals-title">
      <div class="panel-head">
        <h2 id="goals-title">{words.tabs[chosen]}</h2>
        <TabList
          id="goals-tab"
          title={words.views}
          controls="goals-shown"
          tabs={TABS.map((key) => ({ key, text: words.tabs[key] }))}
          chosen={chosen}
          onChosen={(tab) => go({ goals: tab === 'goals' ? undefined : tab }, 'replace')}
        />
      </div>
      <div id="goals-shown" role="tabpanel" aria-labelledby={`goals-tab-${chosen}`}>
        <Content {...view} own={own} />
      </div>
    </section>
  );
}
