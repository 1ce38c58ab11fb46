import { go } from './address';
import { changeOf, numberText, shortNumberText } from './format';
import type { Summaries } from './statistics';
import { texts } from './texts';

/** The names that are drawn over time, in the order of their figures. */
export const METRICS = ['visitor', 'pageview'] as const;
export type Metric = (typeof METRICS)[number];

export const METRIC_TEXTS: Record<Metric, string> = {
  visitor: texts.figures.visitors,
  pageview: texts.figures.pageviews,
};

export function metricIn(address: URLSearchParams): Metric {
  return METRICS.find((metric) => metric === address.get('metric')) ?? METRICS[0];
}

const ARROWS = { up: '↑', down: '↓', same: '→' };

interface Props {
  address: URLSearchParams;
  byName: Summaries;
  hasComparison: boolean;
}

/** The sums of a range. The one that is pressed is drawn. */
export function Figures({ address, byName, hasComparison }: Props) {
  const drawn = metricIn(address);
  return (
    <div class="figures" role="group" aria-label={texts.figures.label}>
      {METRICS.map((metric) => {
        const { sum, previous_sum: previous } = byName.get(metric) ?? {};
        return (
          <button
            key={metric}
            class="figure"
            aria-pressed={metric === drawn}
            onClick={() => go({ metric: metric === METRICS[0] ? undefined : metric })}
          >
            <span class="name">{METRIC_TEXTS[metric]}</span>
            {sum === undefined ? (
              <span class="bone figure-bone" />
            ) : (
              <span class="sum" title={numberText(sum)}>
                {shortNumberText(sum)}
              </span>
            )}
            <span class="change">
              {sum !== undefined && hasComparison && <ChangeText count={sum} previous={previous} />}
            </span>
          </button>
        );
      })}
    </div>
  );
}

function ChangeText({ count, previous }: { count: number; previous: number | undefined }) {
  const change = changeOf(count, previous);
  if (!change || previous === undefined) return <span class="quiet">{texts.noComparison}</span>;
  return (
    <span>
      <b class={change.direction}>
        <span aria-hidden="true">{ARROWS[change.direction]} </span>
        {change.text}
      </b>{' '}
      <span class="quiet">{texts.before(shortNumberText(previous))}</span>
    </span>
  );
}
