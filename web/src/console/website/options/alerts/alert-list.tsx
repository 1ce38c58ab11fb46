import type { Alert } from '../../../../goals/definitions';
import { readable } from '../../../../shared/language/value-labels';
import type { Own } from '../../../../statistics/reading';
import { Acts } from '../../../forms/act';
import { timeText } from '../../../time-text';
import type { Opened } from '../use-definitions';
import { sentenceOf } from './drafts';
import { Firings } from './firings';
import { words } from './words';

interface Props {
  alerts: Alert[];
  own: Own;
  timezone: string;
  onOpened: (opened: Opened<'alerts'>) => void;
}

export function AlertList({ alerts, own, timezone, onOpened }: Props) {
  return (
    <>
      <p class="quiet">{words.text}</p>
      <ul class="definitions">
        {alerts.map((alert) => (
          <li key={alert.id}>
            <Facts {...{ alert, timezone }} />
            {own.mayChange && (
              <Acts name={alert.name} words={words} onOpened={(act) => onOpened({ act, one: alert })} />
            )}
            <Firings path={`websites/${own.websiteId}/alerts/${alert.id}`} timezone={timezone} />
          </li>
        ))}
      </ul>
      {own.mayChange && (
        <div>
          <button class="primary" onClick={() => onOpened({ act: 'edit', one: undefined })}>
            {words.create}
          </button>
        </div>
      )}
    </>
  );
}

function Facts({ alert, timezone }: { alert: Alert; timezone: string }) {
  const { name, enabled, fired_at: at, error } = alert;
  const sentence = sentenceOf(alert);
  return (
    <div class="definition-text">
      <p>
        <b>
          <bdi>{name}</bdi>
        </b>
        {enabled === 0 && <span class="badge">{words.off}</span>}
      </p>
      {sentence !== name && (
        <p class="quiet">
          <bdi>{sentence}</bdi>
        </p>
      )}
      <p class="quiet">{at === null ? words.never : words.fired(timeText(at, timezone))}</p>
      {error !== null && <p class="complaint">{words.failed(readable(error))}</p>}
    </div>
  );
}
