import type { Alert } from '../../../../goals/definitions';
import { readable } from '../../../../shared/language/wording';
import type { Own } from '../../../../statistics/reading';
import { Act } from '../../../forms/act';
import { timeText } from '../../../time-text';
import { sentenceOf } from './drafts';
import { Firings } from './firings';
import { words } from './words';

/** The alert that a dialog is about; a new one has none. */
export type Opened = { act: 'edit'; alert: Alert | undefined } | { act: 'remove'; alert: Alert };

interface Props {
  alerts: Alert[];
  own: Own;
  timezone: string;
  onOpened: (opened: Opened) => void;
}

export function AlertList({ alerts, own, timezone, onOpened }: Props) {
  return (
    <>
      <p class="quiet">{words.text}</p>
      <ul class="alert-list">
        {alerts.map((alert) => (
          <li key={alert.id}>
            <Facts {...{ alert, timezone }} />
            {own.mayChange && <Acts {...{ alert, onOpened }} />}
            <Firings path={`websites/${own.websiteId}/alerts/${alert.id}`} timezone={timezone} />
          </li>
        ))}
      </ul>
      {own.mayChange && (
        <div>
          <button class="primary" onClick={() => onOpened({ act: 'edit', alert: undefined })}>
            {words.create}
          </button>
        </div>
      )}
    </>
  );
}

function Acts({ alert, onOpened }: { alert: Alert; onOpened: Props['onOpened'] }) {
  const { editOne, remove } = words;
  return (
    <span class="alert-acts">
      <Act kind="edit" label={editOne(alert.name)} onClick={() => onOpened({ act: 'edit', alert })} />
      <Act kind="remove" label={remove(alert.name)} onClick={() => onOpened({ act: 'remove', alert })} />
    </span>
  );
}

function Facts({ alert, timezone }: { alert: Alert; timezone: string }) {
  const { name, enabled, fired_at: at, error } = alert;
  const sentence = sentenceOf(alert);
  return (
    <div class="alert-text">
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
