import { FIELDS, ROLLUP_FIELDS } from '../../engine/hits/fields';
import { explanationOf, listedNames } from '../../engine/questions/listed-names';
import { explanationOfMetric, METRICS } from '../../engine/questions/plan/metrics';

const OF_VISITORS = ROLLUP_FIELDS.filter((name) => FIELDS[name].level === 'visitor');

const HOW_TO_READ = [
  'Statistics and summaries take the names with "statistic", filters and the dimensions of queries those with "filterable".',
  'A visitor is one browser on one website on one day: over a range, a visitor on two days counts twice.',
  `The entries of ${OF_VISITORS.slice(0, -1).join(', ')} and ${OF_VISITORS.at(-1)} each add up to those of visitor, those of page to those of pageview.`,
  '(unknown) stands for an unknown value, (other) for values beyond the limit; meta.warnings then says so.',
];

/** All names and metrics with their meanings. */
export function explainNames() {
  const names = listedNames().map((listed) => ({ ...listed, explanation: explanationOf(listed.name) }));
  const metrics = METRICS.map((name) => ({ name, explanation: explanationOfMetric(name) }));
  return { names, metrics, how_to_read: HOW_TO_READ };
}
