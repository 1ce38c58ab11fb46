import { linkTo } from './address';
import type { Failure, ShownWarning } from './api';
import { linkToFilters } from '../statistics/filters/add-button';
import type { Filter } from '../statistics/filters/filters';
import { sinceText, spanText } from './format';
import { plusDays, type Span, todayIn } from './ranges';
import { texts } from './texts';

/** Why there are no numbers, and how to continue. */
export function Trouble({ failure, retry }: { failure: Failure; retry: () => void }) {
  const needsReload = ['password', 'signin', 'gone'].includes(failure.kind);
  return (
    <div class="notice" role="alert">
      <p>{texts.failures[failure.kind]}</p>
      <button type="button" class="primary" onClick={needsReload ? () => location.reload() : retry}>
        {needsReload ? texts.reload : texts.again}
      </button>
    </div>
  );
}

/** Warnings about the numbers. */
export function Warnings({ warnings }: { warnings: ShownWarning[] }) {
  if (warnings.length === 0) return null;
  return (
    <ul class="notice warnings">
      {warnings.map((code) => (
        <li key={code}>{texts.warnings[code]}</li>
      ))}
    </ul>
  );
}

interface SinceProps {
  day: string;
  /** The range of the page. */
  span: Span;
  text?: (day: string) => string;
}

/** Instead of numbers that do not cover the range: since when they are complete, and a link to that range. */
export function Since({ day, span: { to }, text = texts.coverage.since }: SinceProps) {
  const own = { from: day, to };
  return (
    <p class="nothing quiet coverage">
      {text(sinceText(day))}{' '}
      {day <= to && (
        <a {...linkTo({ range: 'custom', ...own, by: undefined, at: undefined, more: undefined })}>
          {texts.coverage.show(spanText(day, to))}
        </a>
      )}
    </p>
  );
}

interface NoVisitsProps {
  isAll: boolean;
  span: Span | undefined;
  /** Viewers who may not filter see a day once it is over. */
  mayFilter: boolean;
  timezone: string;
  filters: Filter[];
}

export function NoVisits({ isAll, span, mayFilter, timezone, filters }: NoVisitsProps) {
  const isFiltered = filters.length > 0;
  const { title, filtered, text, tomorrow, button, withoutFilters } = texts.noVisits;
  const endsYesterday = span?.to === plusDays(todayIn(timezone), -1);
  const hint = endsYesterday && !mayFilter ? tomorrow : !isAll && text;
  return (
    <div class="notice">
      <p>
        <b>{isFiltered ? filtered : title}.</b> {!isFiltered && hint}
      </p>
      {isFiltered ? (
        <a class="primary" {...linkToFilters([])}>
          {withoutFilters}
        </a>
      ) : (
        !isAll && (
          <a class="primary" {...linkTo({ range: 'all', from: undefined, to: undefined })}>
            {button}
          </a>
        )
      )}
    </div>
  );
}
