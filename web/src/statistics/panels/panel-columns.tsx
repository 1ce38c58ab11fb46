import './panels.css';
import { useRef } from 'preact/hooks';
import type { Filter } from '../filters/filters';
import type { PageAnswer } from '../page-answer';
import { Panel } from './panel';
import { columnsOf, countryOnMap, nameIn, type PanelKind, panelsFor, shownIn } from './panels';
import type { Span } from '../../shared/ranges';
import type { Reading } from '../reading';
import type { AutomaticList } from './automatic/automatic-events';
import { AutomaticPanel } from './automatic/automatic-panel';
import { useMedia } from '../../shared/use-media';

interface Props {
  address: URLSearchParams;
  reading: Reading;
  filters: Filter[];
  answer: PageAnswer;
  /** The panels of automatic events, which stand behind the others. */
  automatic: AutomaticList[];
  span: Span | undefined;
  hasFailed: boolean;
}

/** The panels in two columns, or in one on a narrow screen. */
export function PanelColumns({ address, reading, filters, answer, automatic, span, hasFailed }: Props) {
  const kinds = panelsFor(reading);
  const nameOf = (panel: PanelKind) => nameIn(address, panel, filters);
  const isAnswered = useRef(false);
  isAnswered.current ||= hasFailed || kinds.every((panel) => answer.tops[nameOf(panel)]);
  const panels = [
    ...kinds.map((panel) => (
      <Panel
        key={panel.id}
        {...{ panel, filters, reading, span, hasFailed }}
        name={nameOf(panel)}
        shown={shownIn(address, panel)}
        country={countryOnMap(address)}
        now={answer.now}
        top={answer.tops[nameOf(panel)]}
      />
    )),
    ...automatic.map((list) => (
      <AutomaticPanel key={list.automatic.id} {...{ list, filters, reading }} now={answer.now} />
    )),
  ];
  const columns = columnsOf(panels, useMedia('(width >= 800px)') ? 2 : 1);
  return (
    // Until all heights are known, panels below others are not seen, so that none is seen to move.
    <div class={`panels ${isAnswered.current ? '' : 'unanswered'}`}>
      {columns.map((column, index) => (
        <div key={index} class="panel-column">
          {column}
        </div>
      ))}
    </div>
  );
}
