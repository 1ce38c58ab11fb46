import { numberText, shareText } from '../../shared/format';
import { singularOf, wordsOf } from '../../shared/language/value-labels';
import { texts } from '../../shared/texts';
import { words } from '../words';
import type { Breakdown, FunnelAnswer, Step } from './answer';

interface Props {
  name: Breakdown;
  rows: NonNullable<FunnelAnswer['data']['breakdown']>;
  steps: Step[];
}

/** How far the visitors of each value got. */
export function BreakdownTable({ name, rows, steps }: Props) {
  const label = `${words.funnels.by}: ${singularOf(name)}`;
  return (
    <div class="scrolls breakdown" tabIndex={0} role="region" aria-label={label}>
      <table>
        <thead>
          <tr>
            <th scope="col">{singularOf(name)}</th>
            {steps.map(({ step, title }) => (
              <th key={step} scope="col" title={title}>
                {words.funnels.step(step)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ value, steps: visitors }) => (
            <tr key={value}>
              <th scope="row">
                <bdi>{value === null ? texts.unknown : wordsOf(name, value)}</bdi>
              </th>
              {visitors.map((count, index) => (
                <td key={index}>
                  {numberText(count)}
                  {index > 0 && <span class="quiet"> {shareText(count, visitors[0]!)}</span>}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
