import { useState } from 'preact/hooks';
import { urlOf } from '../../../shared/api';
import { plusDays, todayIn } from '../../../shared/ranges';
import { texts } from '../../../shared/texts';
import { API } from '../../client';
import { useTask } from '../../forms/use-task';
import { Complaint } from '../../forms/field';
import { downloadCsv } from './download';
import type { SectionProps } from './section-form';

const words = texts.console.options.export;
const DAYS = 28;

/** All hits of a range of days as a file. */
export function Export({ website, surroundings, mayChange }: SectionProps) {
  const task = useTask();
  const today = todayIn(surroundings.timezone);
  const [span, setSpan] = useState({ from: plusDays(today, 1 - DAYS), to: today });
  const isWrong = span.from === '' || span.to === '' || span.from > span.to;
  const url = urlOf(`${API}/stats/${website.id}/hits`, span);
  if (!mayChange) return <p class="card section quiet">{words.needsFull}</p>;
  return (
    <section class="card section">
      <h2>{words.title}</h2>
      <p class="quiet">{words.text}</p>
      <div class="days">
        {(['from', 'to'] as const).map((end) => (
          <label key={end}>
            {words[end]}
            <input
              type="date"
              value={span[end]}
              max="9999-12-31"
              required
              onInput={({ currentTarget }) => setSpan({ ...span, [end]: currentTarget.value })}
            />
          </label>
        ))}
      </div>
      <p class="complaint" role="alert">
        {isWrong && words.wrong}
      </p>
      <Complaint task={task} />
      <div class="choices">
        <button
          class="primary"
          disabled={isWrong || task.isRunning}
          onClick={() => task.run(() => downloadCsv(url, `${website.domain}-${span.from}-${span.to}.csv`))}
        >
          {task.isRunning ? words.working : words.csv}
        </button>
        <a
          class="plain"
          {...(isWrong ? { 'aria-disabled': 'true', role: 'link' } : { href: url })}
          download={`${website.domain}-${span.from}-${span.to}.ndjson`}
        >
          {words.ndjson}
        </a>
      </div>
    </section>
  );
}
