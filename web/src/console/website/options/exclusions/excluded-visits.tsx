import { conditionText } from '../../../../goals/conditions';
import { type Exclusion, remove } from '../../../../goals/definitions';
import { words as goalWords } from '../../../../goals/words';
import { dayText, spanText } from '../../../../shared/format';
import { Trouble } from '../../../../shared/notices';
import { todayIn } from '../../../../shared/ranges';
import { Acts } from '../../../forms/act';
import { RemovalDialog } from '../../../forms/removal-dialog';
import { timeText } from '../../../time-text';
import type { SectionProps } from '../section-form';
import { useDefinitions } from '../use-definitions';
import { ExclusionDialog } from './exclusion-dialog';

const words = goalWords.exclusions;

/** What is left out of all statistics of some days, to create, change and delete. */
export function ExcludedVisits(props: SectionProps) {
  const { website, surroundings, places, mayChange } = props;
  const { timezone } = surroundings;
  const { own, list, failure, retry, opened, setOpened, dialog } = useDefinitions(props, 'exclusions');
  return (
    <section class="card section excluded-visits" aria-labelledby="excluded-visits-title">
      <h2 id="excluded-visits-title">{words.title}</h2>
      <p class="quiet">{list?.length === 0 ? words.none : words.text}</p>
      {failure && <Trouble failure={failure} retry={retry} />}
      {list && list.length > 0 && (
        <ul class="definitions">
          {list.map((exclusion) => (
            <li key={exclusion.id}>
              <Facts {...{ exclusion, timezone }} />
              {mayChange && !exclusion.final && (
                <Acts
                  name={exclusion.name}
                  words={words}
                  onOpened={(act) => setOpened({ act, one: exclusion })}
                />
              )}
            </li>
          ))}
        </ul>
      )}
      {mayChange && list && (
        <div>
          <button class="primary" onClick={() => setOpened({ act: 'edit', one: undefined })}>
            {words.create}
          </button>
        </div>
      )}
      {opened?.act === 'edit' && (
        <ExclusionDialog
          {...dialog}
          {...{ places }}
          domain={website.domain}
          today={todayIn(timezone)}
          exclusion={opened.one}
        />
      )}
      {opened?.act === 'remove' && (
        <RemovalDialog
          words={words.removal}
          name={opened.one.name}
          deleted={words.deleted}
          remove={() => remove(own, 'exclusions', opened.one.id)}
          onRemoved={dialog.onSaved}
          onClosed={dialog.onClosed}
        />
      )}
    </section>
  );
}

function Facts({ exclusion, timezone }: { exclusion: Exclusion; timezone: string }) {
  const { name, filters, reason, final, made_by: by, created_at: at } = exclusion;
  return (
    <div class="definition-text">
      <p>
        <b>
          <bdi>{name}</bdi>
        </b>
        {final && <span class="badge">{words.final}</span>}
      </p>
      <p>{daysText(exclusion)}</p>
      <p class="quiet">
        <bdi>{filters.length === 0 ? words.all : conditionText(filters)}</bdi>
      </p>
      {reason !== null && (
        <p class="quiet">
          <bdi>{reason}</bdi>
        </p>
      )}
      <p class="quiet">{words.made(by, timeText(at, timezone))}</p>
      {final && <p class="quiet">{words.finalHint}</p>}
    </div>
  );
}

function daysText({ from, to }: Exclusion): string {
  if (from !== null && to !== null) return spanText(from, to);
  if (from !== null) return words.days.since(dayText(from));
  return to === null ? words.days.all : words.days.until(dayText(to));
}
