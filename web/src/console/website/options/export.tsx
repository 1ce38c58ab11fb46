import { useState } from 'preact/hooks';
import { urlOf } from '../../../shared/api';
import { ChoiceField } from '../../../goals/forms/choice-field';
import { daysOnly, FIRST_DAY, plusDays, type Span, todayIn } from '../../../shared/ranges';
import { texts } from '../../../shared/texts';
import { API } from '../../client';
import { useTask } from '../../forms/use-task';
import { Complaint } from '../../forms/field';
import { Copied } from '../../forms/copied';
import { downloadCsv } from './download';
import { ROW_STATEMENTS } from './row-statements';
import type { SectionProps } from './section-form';

const words = texts.console.options.export;
const RANGES = ['all', '28d', 'custom'] as const;
const DAYS = 28;
const STATEMENTS = Object.keys(ROW_STATEMENTS) as (keyof typeof ROW_STATEMENTS)[];

/** The hits of all days, or of some, as a file. */
export function Export({ website, surroundings, mayChange }: SectionProps) {
  const task = useTask();
  const today = todayIn(surroundings.timezone);
  const lately = { from: plusDays(today, 1 - DAYS), to: today };
  const [range, setRange] = useState<(typeof RANGES)[number]>('all');
  const [chosen, setChosen] = useState<Span>(lately);
  const span = { all: { from: FIRST_DAY, to: today }, '28d': lately, custom: chosen }[range];
  const isWrong = span.from === '' || span.to === '' || span.from > span.to;
  const url = urlOf(`${API}/stats/${website.id}/hits`, daysOnly(span));
  const file = range === 'all' ? website.domain : `${website.domain}-${span.from}-${span.to}`;
  if (!mayChange) return <p class="card section quiet">{words.needsFull}</p>;
  return (
    <>
      <section class="card section">
        <h2>{words.title}</h2>
        <p class="quiet">{words.text}</p>
        <ChoiceField
          label={texts.ranges.label}
          of={RANGES}
          wordOf={(one) => (one === 'all' ? words.everything : texts.ranges[one])}
          chosen={range}
          onChosen={setRange}
        />
        {range === 'custom' && <Days chosen={chosen} onChosen={setChosen} />}
        <p class="complaint" role="alert">
          {isWrong && words.wrong}
        </p>
        <Complaint task={task} />
        <div class="choices">
          <button
            class="primary"
            disabled={isWrong || task.isRunning}
            onClick={() => task.run(() => downloadCsv(url, `${file}.csv`))}
          >
            {task.isRunning ? words.working : words.csv}
          </button>
          <a
            class="plain"
            {...(isWrong ? { 'aria-disabled': 'true', role: 'link' } : { href: url })}
            download={`${file}.ndjson`}
          >
            {words.ndjson}
          </a>
        </div>
      </section>
      {surroundings.hasRows && <Rows websiteId={website.id} />}
    </>
  );
}

/** Where SQL finds the hits, and how. */
function Rows({ websiteId }: { websiteId: number }) {
  const { title, text, version, statements } = words.rows;
  return (
    <section class="card section statements">
      <h2>{title}</h2>
      <p class="quiet">{text}</p>
      <p class="quiet">{version}</p>
      {STATEMENTS.map((of) => (
        <div key={of}>
          <h3>{statements[of]}</h3>
          <Copied text={ROW_STATEMENTS[of](websiteId)} label={words.rows.copy} />
        </div>
      ))}
    </section>
  );
}

interface DaysProps {
  chosen: Span;
  onChosen: (span: Span) => void;
}

function Days({ chosen, onChosen }: DaysProps) {
  return (
    <div class="days">
      {(['from', 'to'] as const).map((end) => (
        <label key={end}>
          {words[end]}
          <input
            type="date"
            value={chosen[end]}
            max="9999-12-31"
            required
            onInput={({ currentTarget }) => onChosen({ ...chosen, [end]: currentTarget.value })}
          />
        </label>
      ))}
    </div>
  );
}
