import { linkTo } from './address';
import type { Failure } from './api';
import { texts } from './texts';

/** Why there are no numbers, and what helps. */
export function Trouble({ failure, retry }: { failure: Failure; retry: () => void }) {
  const needsReload = ['password', 'signin', 'gone'].includes(failure.kind);
  return (
    <div class="notice" role="alert">
      <p>{texts.failures[failure.kind]}</p>
      <button class="primary" onClick={needsReload ? () => location.reload() : retry}>
        {needsReload ? texts.reload : texts.again}
      </button>
    </div>
  );
}

export function NoVisits({ isAll }: { isAll: boolean }) {
  return (
    <div class="notice">
      <p>
        <b>{texts.noVisits.title}.</b> {!isAll && texts.noVisits.text}
      </p>
      {!isAll && (
        <a class="primary" {...linkTo({ range: 'all', from: undefined, to: undefined })}>
          {texts.noVisits.button}
        </a>
      )}
    </div>
  );
}
