import { numberText } from '../../shared/format';
import { FoldedTable } from '../../shared/folded-table';
import { words } from '../words';
import type { JourneyAnswer } from './answer';
import { layoutOf } from './layout';
import { boxText } from './texts';

interface Props {
  answer: JourneyAnswer;
  start: string;
  isBackwards: boolean;
}

/** All links between steps, with their visits. */
export function JourneyTable({ answer, start, isBackwards }: Props) {
  const { boxes, ribbons } = layoutOf(answer, { available: 0, isBackwards, hasStart: true });
  const byKey = new Map(boxes.map((box) => [box.key, box]));
  const textOf = (key: string) => boxText(byKey.get(key)!, start, isBackwards);
  return (
    <FoldedTable kind="journey-table" columns={Object.values(words.journeys.columns)}>
      {ribbons.map(({ from, to, visits }) => (
        <tr key={`${from} ${to}`}>
          <th scope="row">{byKey.get(to)!.step}</th>
          <td>
            <bdi>{textOf(from)}</bdi>
          </td>
          <td>
            <bdi>{textOf(to)}</bdi>
          </td>
          <td>{numberText(visits)}</td>
        </tr>
      ))}
    </FoldedTable>
  );
}
