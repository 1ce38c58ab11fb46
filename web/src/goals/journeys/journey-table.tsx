import { numberText } from '../../shared/format';
import { words } from '../words';
import type { JourneyAnswer } from './answer';
import { layoutOf } from './layout';
import { boxText } from './texts';

const { asTable, columns } = words.journeys;

interface Props {
  answer: JourneyAnswer;
  start: string;
  isBackwards: boolean;
}

/** All links between steps, with their visits. */
export function JourneyTable({ answer, start, isBackwards }: Props) {
  const { boxes, ribbons } = layoutOf(answer, 0, isBackwards);
  const byKey = new Map(boxes.map((box) => [box.key, box]));
  const textOf = (key: string) => boxText(byKey.get(key)!, start, isBackwards);
  return (
    <details>
      <summary>{asTable}</summary>
      <div class="scrolls" tabIndex={0} role="region" aria-label={asTable}>
        <table class="journey-table">
          <thead>
            <tr>
              {Object.values(columns).map((text) => (
                <th key={text} scope="col">
                  {text}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
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
          </tbody>
        </table>
      </div>
    </details>
  );
}
