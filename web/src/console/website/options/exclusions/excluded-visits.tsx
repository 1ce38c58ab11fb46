import type { ComponentChildren } from 'preact';
import { shownDomain } from '../../../../../../engine/ground/shown-domain';
import { conditionText } from '../../../../goals/conditions';
import { type Exclusion, remove, update } from '../../../../goals/definitions';
import { words as goalWords } from '../../../../goals/words';
import { dayText, spanText } from '../../../../shared/format';
import { Trouble } from '../../../../shared/notices';
import { todayIn } from '../../../../shared/ranges';
import { texts } from '../../../../shared/texts';
import type { Own } from '../../../../statistics/reading';
import { Acts } from '../../../forms/act';
import { RemovalDialog } from '../../../forms/removal-dialog';
import { timeText } from '../../../time-text';
import type { SectionProps } from '../section-form';
import { type Opened, useDefinitions } from '../use-definitions';
import { ExclusionDialog } from './exclusion-dialog';

const words = goalWords.exclusions;
const removalWords = texts.console.options.removal;

/** What is left out of all statistics of some days, to create, change and delete. */
export function ExcludedVisits(props: SectionProps) {
  const { surroundings, mayChange } = props;
  const { timezone } = surroundings;
  const { list, failure, retry, opened, setOpened, dialog } = useDefinitions(props, 'exclusions');
  return (
    <section class="card section excluded-visits" aria-labelledby="excluded-visits-title">
      <h2 id="excluded-visits-title">{words.title}</h2>
      <p class="quiet">{list?.length === 0 ? words.none : words.text}</p>
      {failure && <Trouble failure={failure} retry={retry} />}
      {list && list.length > 0 && (
        <ul class="definitions">
          {list.map((exclusion) => (
            <li key={exclusion.id}>
              <Facts {...{ exclusion, timezone }}>
                {mayChange && isPurgeable(exclusion) && (
                  <button class="plain purge" onClick={() => setOpened({ act: 'purge', one: exclusion })}>
                    {words.purge.button}
                  </button>
                )}
              </Facts>
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
      {opened && <OpenedDialog {...{ opened, props, dialog }} />}
    </section>
  );
}

interface OpenedProps {
  opened: Opened<'exclusions'>;
  props: SectionProps;
  dialog: ReturnType<typeof useDefinitions<'exclusions'>>['dialog'];
}

function OpenedDialog({ opened, props, dialog }: OpenedProps) {
  const { website, surroundings, places } = props;
  if (opened.act === 'edit')
    return (
      <ExclusionDialog
        {...dialog}
        {...{ places }}
        domain={website.domain}
        today={todayIn(surroundings.timezone)}
        exclusion={opened.one}
      />
    );
  const { own, onSaved: onRemoved, onClosed } = dialog;
  const { id, name, purge: isPurged } = opened.one;
  const shared = { name, onRemoved, onClosed };
  if (opened.act === 'remove')
    return (
      <RemovalDialog
        {...shared}
        words={isPurged ? { ...words.removal, text: words.purge.stop } : words.removal}
        deleted={words.deleted}
        remove={() => remove(own, 'exclusions', id)}
      />
    );
  const domain = shownDomain(website.domain);
  return (
    <RemovalDialog
      {...shared}
      words={words.purge}
      typed={{ label: removalWords.type(domain), text: domain }}
      deleted={words.purge.begun}
      remove={() => purge(own, opened.one, website.domain)}
    />
  );
}

const isPurgeable = ({ to, final, purge }: Exclusion) => to !== null && !final && !purge;

/** Sends what is shown, so that nothing else is removed if it was changed elsewhere. */
async function purge(own: Own, { id, filters, from, to }: Exclusion, domain: string): Promise<void> {
  await update(own, 'exclusions', id, { filters, from, to, all: true, purge: true, domain });
}

interface FactsProps {
  exclusion: Exclusion;
  timezone: string;
  children: ComponentChildren;
}

function Facts({ exclusion, timezone, children }: FactsProps) {
  const { name, filters, reason, final, purge, made_by: by, created_at: at } = exclusion;
  return (
    <div class="definition-text">
      <p>
        <b>
          <bdi>{name}</bdi>
        </b>
        {final && <span class="badge">{words.final}</span>}
        {purge && <span class="badge">{words.purge.badge}</span>}
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
      {purge && <p class="quiet">{words.purge.hint}</p>}
      {children}
    </div>
  );
}

function daysText({ from, to }: Exclusion): string {
  if (from !== null && to !== null) return spanText(from, to);
  if (from !== null) return words.days.since(dayText(from));
  return to === null ? words.days.all : words.days.until(dayText(to));
}
