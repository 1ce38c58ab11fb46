import { useRef, useState } from 'preact/hooks';
import { linkTo } from '../../shared/address';
import type { QueriesAnswer } from '../../shared/api';
import { ofWebsite } from '../../console/only';
import { numberText } from '../../shared/format';
import { Since, Trouble } from '../../shared/notices';
import { texts } from '../../shared/texts';
import { useAnswer } from '../../shared/use-answer';
import { sinceIn } from '../../statistics/coverage';
import { Bones } from '../../statistics/panels/entries';
import type { Own } from '../../statistics/reading';
import { type Goal, useDefined } from '../definitions';
import type { View } from '../view';
import { words } from '../words';
import { AllGoals } from './all-goals';
import { type GoalRow, goalRows, goalsQuery } from './goal-rows';
import { GoalsTable } from './goals-table';
import { NoGoals } from './no-goals';

const SHOWN = 10;
const CLOSED = { more: undefined, search: undefined };

/** The goals of a website for its owner, also those that nobody reached. */
export function OwnGoals({ own, ...view }: View & { own: Own }) {
  const [turn, setTurn] = useState(0);
  const { list, failure, retry } = useDefined(own, 'goals', turn);
  if (failure) return <Trouble failure={failure} retry={retry} />;
  if (!list) return <Bones rows={3} />;
  if (list.length === 0)
    return <NoGoals own={own} reading={view.reading} onCreated={() => setTurn(turn + 1)} />;
  return <Goals {...view} goals={list} />;
}

function Goals({ goals, ...view }: View & { goals: Goal[] }) {
  const { rows, since, isLoading, failure, retry } = useGoalRows(view, goals);
  if (failure) return <Trouble failure={failure} retry={retry} />;
  if (!rows) return <Bones rows={Math.min(SHOWN, goals.length)} />;
  const options = linkTo({ ...ofWebsite('options'), section: 'goals' });
  return (
    <div aria-busy={isLoading} class={isLoading ? 'older' : ''}>
      <Reached {...view} {...{ rows, since }} />
      <p class="panel-foot">
        {since === undefined && rows.length > SHOWN && <ShowAll total={rows.length} />}
        <a class="show-all" {...options}>
          {words.manage}
        </a>
      </p>
    </div>
  );
}

/** The goals that were reached, for viewers who may filter. Websites without goals have no such panel. */
export function SharedGoals(view: View) {
  const { rows = [], since, isLoading, failure, retry } = useGoalRows(view, undefined);
  const hadRows = useRef(false);
  hadRows.current ||= rows.length > 0;
  if (rows.length === 0 && !(failure && hadRows.current)) return null;
  return (
    <section
      class={`card panel goals ${isLoading ? 'older' : ''}`}
      aria-busy={isLoading}
      aria-labelledby="goals-title"
    >
      <div class="panel-head">
        <h2 id="goals-title">{words.tabs.goals}</h2>
      </div>
      {failure ? <Trouble failure={failure} retry={retry} /> : <Reached {...view} {...{ rows, since }} />}
      {rows.length > SHOWN && !failure && since === undefined && (
        <p class="panel-foot">
          <ShowAll total={rows.length} />
        </p>
      )}
    </section>
  );
}

/** The first goals, and all of them if they are opened; or since when their numbers are complete. */
function Reached({ rows, since, ...view }: View & { rows: GoalRow[]; since: string | undefined }) {
  if (since !== undefined) return <Since day={since} span={view.span} />;
  return (
    <>
      <GoalsTable rows={rows.slice(0, SHOWN)} {...view} />
      {view.address.get('more') === 'goal' && <AllGoals rows={rows} {...view} onClosed={CLOSED} />}
    </>
  );
}

function ShowAll({ total }: { total: number }) {
  return (
    <a class="show-all" {...linkTo({ more: 'goal', search: undefined })}>
      {texts.all(numberText(total))}
      <span class="hidden"> {words.tabs.goals}</span>
    </a>
  );
}

function useGoalRows({ reading, span, first, filters, earlier }: View, goals: Goal[] | undefined) {
  const asked = { places: reading.places, span, filters, earlier, goals };
  const { data, isLoading, failure, retry } = useAnswer<QueriesAnswer>(goalsQuery(asked));
  const [now] = data?.data ?? [];
  return {
    rows: data && goalRows(goals, data),
    since: now && sinceIn(now, span, first),
    ...{ isLoading, failure, retry },
  };
}
