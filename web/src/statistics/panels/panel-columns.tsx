import './panels.css';
import { useRef } from 'preact/hooks';
import type { Filter } from '../filters/filters';
import type { PageAnswer } from '../page-answer';
import { Panel } from './panel';
import {
  columnsOf,
  countryOnMap,
  nameIn,
  needsEvents,
  type PanelKind,
  panelsFor,
  type Placed,
  rowsOf,
  shownIn,
} from './panels';
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
  const topOf = (panel: PanelKind) => answer.tops[nameIn(address, panel, filters)];
  const kinds = panelsFor(reading);
  const isAnswered = useRef(false);
  isAnswered.current ||= hasFailed || kinds.every(topOf);
  const { event } = answer.tops;
  const hasNoEvents = event?.total === 0 && event.since === undefined;
  const shown = [
    ...kinds
      .filter((panel) => !(hasNoEvents && needsEvents(panel, address)))
      .map((panel) => ({
        id: panel.id,
        rows: rowsOf(panel.tabs.length, topOf(panel)),
        panel: (
          <Panel
            key={panel.id}
            {...{ panel, filters, reading, span, hasFailed }}
            name={nameIn(address, panel, filters)}
            shown={shownIn(address, panel)}
            country={countryOnMap(address)}
            now={answer.now}
            first={answer.first}
            top={topOf(panel)}
          />
        ),
      })),
    ...automatic.map((list) => ({
      id: list.automatic.id,
      rows: rowsOf(1, list),
      panel: (
        <AutomaticPanel key={list.automatic.id} {...{ list, span, filters, reading }} now={answer.now} />
      ),
    })),
  ];
  const columns = useColumns(shown, useMedia('(width >= 800px)') ? 2 : 1, isAnswered.current);
  return (
    // Until all heights are known, panels below others are not seen, so that none is seen to move.
    <div class={`panels ${isAnswered.current ? '' : 'unanswered'}`}>
      {columns.map((column, index) => (
        <div key={index} class="panel-column">
          {column.map(({ panel }) => panel)}
        </div>
      ))}
    </div>
  );
}

/** Divides panels into columns. Once they are answered, none moves to another column. */
function useColumns<T extends Placed>(panels: readonly T[], count: number, isAnswered: boolean): T[][] {
  const last = useRef({ count, placed: new Map<string, number>() });
  const before = last.current.count === count ? last.current.placed : new Map<string, number>();
  const placed = columnsOf(panels, count, before);
  if (isAnswered) last.current = { count, placed: new Map([...before, ...placed]) };
  return Array.from({ length: count }, (_, column) => panels.filter(({ id }) => placed.get(id) === column));
}
