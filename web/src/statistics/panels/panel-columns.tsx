import './panels.css';
import { useRef } from 'preact/hooks';
import type { Filter } from '../filters/filters';
import type { PageAnswer } from '../page-answer';
import { Panel } from './panel';
import { columnsOf, nameIn, type PanelKind, panelsFor, shownIn } from './panels';
import type { Span } from '../../shared/ranges';
import type { Reading } from '../reading';
import { useMedia } from '../../shared/use-media';

interface Props {
  address: URLSearchParams;
  reading: Reading;
  filters: Filter[];
  answer: PageAnswer;
  span: Span | undefined;
  hasFailed: boolean;
}

/** The panels in two columns, or in one on a narrow screen. */
export function PanelColumns({ address, reading, filters, answer, span, hasFailed }: Props) {
  const columns = columnsOf(panelsFor(reading), useMedia('(width >= 800px)') ? 2 : 1);
  const nameOf = (panel: PanelKind) => nameIn(address, panel, filters);
  const isAnswered = useRef(false);
  isAnswered.current ||= hasFailed || columns.flat().every((panel) => answer.tops[nameOf(panel)]);
  return (
    // Until all heights are known, panels below others are not seen, so that none is seen to move.
    <div class={`panels ${isAnswered.current ? '' : 'unanswered'}`}>
      {columns.map((panels) => (
        <div key={panels[0]!.id} class="panel-column">
          {panels.map((panel) => (
            <Panel
              key={panel.id}
              {...{ panel, filters, reading, span, hasFailed }}
              name={nameOf(panel)}
              shown={shownIn(address, panel)}
              now={answer.now}
              top={answer.tops[nameOf(panel)]}
            />
          ))}
        </div>
      ))}
    </div>
  );
}
