import { durationText, numberText, percentText } from '../../shared/format';
import { words } from '../words';
import type { Step } from './answer';

const { asTable, columns } = words.funnels;

const share = (part: number | null) => (part === null ? '–' : percentText(part));
const time = (seconds: number | null) => (seconds === null ? '–' : durationText(seconds));

/** All numbers of the steps. */
export function StepsTable({ steps }: { steps: Step[] }) {
  const isCompared = steps.some(({ before }) => before !== undefined);
  const { before, ...others } = columns;
  return (
    <details>
      <summary>{asTable}</summary>
      <div class="scrolls" tabIndex={0} role="region" aria-label={asTable}>
        <table>
          <thead>
            <tr>
              {[...Object.values(others), ...(isCompared ? [before] : [])].map((text) => (
                <th key={text} scope="col">
                  {text}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {steps.map((step) => (
              <tr key={step.step}>
                <th scope="row">
                  {step.step} <bdi>{step.title}</bdi>
                </th>
                <td>{numberText(step.visitors)}</td>
                <td>{share(step.share)}</td>
                <td>{share(step.share_of_previous)}</td>
                <td>{numberText(step.drop_off)}</td>
                <td>{time(step.median_seconds)}</td>
                <td>{time(step.p90_seconds)}</td>
                {isCompared && <td>{numberText(step.before ?? 0)}</td>}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}
