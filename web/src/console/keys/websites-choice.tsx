import { shownDomain } from '../../../../engine/ground/shown-domain';
import { useState } from 'preact/hooks';
import { texts } from '../../shared/texts';
import type { Website } from '../client';
import type { Task } from '../forms/use-task';

const words = texts.console.keys;

interface Props {
  websites: Website[];
  task: Task;
}

/** The websites that a new key is limited to. */
export function WebsitesChoice({ websites, task }: Props) {
  const [isLimited, setLimited] = useState(false);
  return (
    <fieldset>
      <legend>{words.websites}</legend>
      <div class="field">
        <label>
          <input type="radio" name="range" checked={!isLimited} onChange={() => setLimited(false)} />{' '}
          {words.allWebsites}
        </label>
        <label>
          <input type="radio" name="range" checked={isLimited} onChange={() => setLimited(true)} />{' '}
          {words.onlyThese}
        </label>
      </div>
      {isLimited && (
        <div class="key-websites" role="group" aria-label={words.chosen}>
          <input type="hidden" name="limited" value="1" />
          {websites.map(({ id, domain }) => (
            <label key={id}>
              <input type="checkbox" name="website" value={id} /> {shownDomain(domain)}
            </label>
          ))}
        </div>
      )}
      {task.errorsOf('websites').length > 0 && (
        <p class="complaint" role="alert">
          {words.chooseSome}
        </p>
      )}
    </fieldset>
  );
}
