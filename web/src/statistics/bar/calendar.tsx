import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { longDayText, monthText, weekdayText } from '../../shared/format';
import { dayByKey, plusMonths, weeksOf } from './month-days';
import { monthOf } from './periods';
import type { Span } from '../../shared/ranges';
import { texts } from '../../shared/texts';
import { useMedia } from '../../shared/use-media';
import './calendar.css';

interface Props {
  /** The day that has the focus first. */
  initial: string;
  today: string;
  lastDay: string;
  /** What is to be chosen. */
  hint: string;
  /** The days that are marked while the focus or the pointer is on a day, or on none. */
  marked: (pointed: string | undefined) => Span | undefined;
  onChosen: (day: string) => void;
}

const words = texts.calendar;

/** Two months, or one on a phone, to choose a day of. */
export function Calendar({ initial, today, lastDay, hint, marked, onChosen }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const [at, setAt] = useState(initial);
  const [shown, setShown] = useState(initial);
  const [pointed, setPointed] = useState<string>();
  const isMoved = useRef(false);
  useLayoutEffect(() => {
    if (isMoved.current) box.current!.querySelector<HTMLElement>(`[data-day="${at}"]`)?.focus();
    isMoved.current = false;
  }, [at, shown]);
  const isNarrow = useMedia('(width < 800px)');
  const months = monthsUpTo(shown, isNarrow ? 1 : 2);
  const move = (event: KeyboardEvent) => {
    const next = dayByKey(event.key, event.shiftKey, at, lastDay);
    if (next === undefined) return;
    event.preventDefault();
    isMoved.current = true;
    setAt(next);
    setPointed(next);
    if (!months.some(({ from, to }) => next >= from && next <= to)) setShown(next);
  };
  const turn = (by: number) => {
    const next = plusMonths(shown, by);
    setShown(next);
    setAt(next > lastDay ? lastDay : next);
  };
  return (
    <div ref={box} class="calendar" onPointerLeave={() => setPointed(undefined)}>
      <Head {...{ hint, turn }} isLast={monthOf(shown).to >= lastDay} />
      <div class="months">
        {months.map((month) => (
          <Month
            key={month.from}
            {...{ month, at, today, lastDay, move, onChosen }}
            marked={marked(pointed)}
            onPointed={setPointed}
          />
        ))}
      </div>
    </div>
  );
}

function monthsUpTo(day: string, count: 1 | 2): Span[] {
  const last = monthOf(day);
  return count === 1 ? [last] : [monthOf(plusMonths(last.from, -1)), last];
}

function Head({ hint, turn, isLast }: { hint: string; turn: (by: number) => void; isLast: boolean }) {
  return (
    <div class="calendar-head">
      <button class="turn" aria-label={words.before} onClick={() => turn(-1)}>
        ‹
      </button>
      <p role="status" class="quiet">
        {hint}
      </p>
      <button class="turn" aria-label={words.after} disabled={isLast} onClick={() => turn(1)}>
        ›
      </button>
    </div>
  );
}

interface MonthProps {
  month: Span;
  at: string;
  today: string;
  lastDay: string;
  marked: Span | undefined;
  move: (event: KeyboardEvent) => void;
  onChosen: (day: string) => void;
  onPointed: (day: string) => void;
}

function Month({ month, marked, move, ...days }: MonthProps) {
  const weeks = weeksOf(month);
  const title = `month-${month.from}`;
  return (
    <div class="month">
      <p id={title}>{monthText(month.from)}</p>
      <table role="grid" aria-labelledby={title} onKeyDown={move}>
        <thead>
          <tr>
            {weeks[1]!.map((day) => (
              <th key={day} scope="col">
                {weekdayText(day!)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {weeks.map((week, index) => (
            <tr key={index}>
              {week.map((day, weekday) =>
                day ? <Day key={day} {...{ day, marked }} {...days} /> : <td key={weekday} />,
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

type DayProps = Omit<MonthProps, 'month' | 'move'> & { day: string };

function Day({ day, at, today, lastDay, marked, onChosen, onPointed }: DayProps) {
  const isMarked = marked !== undefined && day >= marked.from && day <= marked.to;
  const isEnd = day === marked?.from || day === marked?.to;
  return (
    <td aria-selected={isMarked} class={isMarked ? (isEnd ? 'marked end' : 'marked') : undefined}>
      <button
        data-day={day}
        tabIndex={day === at ? 0 : -1}
        disabled={day > lastDay}
        aria-label={longDayText(day)}
        aria-current={day === today ? 'date' : undefined}
        onClick={() => onChosen(day)}
        onPointerMove={() => onPointed(day)}
      >
        {Number(day.slice(8))}
      </button>
    </td>
  );
}
