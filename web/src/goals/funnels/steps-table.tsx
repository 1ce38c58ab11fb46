import { durationText, numberText, percentText } from '../../shared/format';
import { FoldedTable } from '../../shared/folded-table';
import { words } from '../words';
import type { Step } from './answer';

const share = (part: number | null) => (part === null ? '–' : percentText(part));
const time = (seconds: number | null) => (seconds === null ? '–' : durationText(seconds));

/** All numbers of the steps. */
export function StepsTable({ steps }: { steps: Step[] }) {
  const isCompared = steps.some(({ before }) => before !== undefined);
  const { before, ...others } = words.funnels.columns;
  return (
    <FoldedTable columns={[...Object.values(others), ...(isCompared ? [before] : [])]}>
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
    </FoldedTable>
  );
}
