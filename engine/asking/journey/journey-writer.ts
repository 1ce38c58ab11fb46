import { WorkSteps } from '../../ground/deadline-check';
import { CountTable } from '../walk/count-table';
import type { WalkTools } from '../walk/walk';
import { ItemTexts, kindOf, START } from './items';
import {
  type JourneyCounts,
  type JourneyLink,
  type JourneyStep,
  NODES_OF_STEP,
} from '../../questions/journey-request';
import type { StepLinks } from './step-links';

/** The shown items of a step. All others have the place behind them. */
interface Layer {
  readonly nodes: readonly number[];
  /** The number of values that are not shown. */
  readonly others: number;
  /** By place. */
  readonly visits: readonly number[];
  placeOf(item: number): number;
}

/** Folds the items of each step that are not among the most frequent. */
export class JourneyWriter {
  private readonly texts: ItemTexts;
  private readonly work: WorkSteps;

  constructor(
    private readonly visits: number,
    private readonly links: readonly StepLinks[],
    { values, check }: WalkTools,
  ) {
    this.texts = new ItemTexts(values);
    this.work = new WorkSteps(check);
  }

  counts(): JourneyCounts {
    const [steps, all]: [JourneyStep[], JourneyLink[]] = [[], []];
    let before: Layer = { nodes: [START], others: 0, visits: [this.visits, 0], placeOf: () => 0 };
    for (const [index, links] of this.links.entries()) {
      const layer = this.layerOf(links);
      const folded = this.linksBetween(before, layer, links, index + 1);
      const ended = folded.reduce((sum, { to, visits }) => (to === 'ended' ? sum + visits : sum), 0);
      steps.push(this.stepOf(layer, ended));
      all.push(...folded);
      before = layer;
    }
    return { visits: this.visits, steps, links: all };
  }

  private layerOf(links: StepLinks): Layer {
    const table = new CountTable(1);
    links.forEach((_, to, visits) => {
      this.work.take();
      table.add(to, 0, visits);
    });
    const all = table.counted(0);
    const named = all.filter((item) => !this.texts.isOther(item));
    const nodes = Array.from(table.largest(0, NODES_OF_STEP, this.texts.compare, named));
    const places = new Uint8Array(table.rows).fill(nodes.length);
    for (const [place, item] of nodes.entries()) places[item] = place;
    const visits = nodes.map((item) => table.of(item, 0));
    const sum = all.reduce((total, item) => total + table.of(item, 0), 0);
    const shown = visits.reduce((total, own) => total + own, 0);
    return {
      nodes,
      others: all.length - nodes.length,
      visits: [...visits, sum - shown],
      placeOf: (item) => places[item]!,
    };
  }

  private linksBetween(before: Layer, layer: Layer, links: StepLinks, step: number): JourneyLink[] {
    const [rows, columns] = [before.visits.length, layer.visits.length];
    const folded = new CountTable(columns);
    links.forEach((from, to, visits) => {
      this.work.take();
      folded.add(before.placeOf(from), layer.placeOf(to), visits);
    });
    const found: JourneyLink[] = [];
    for (let row = 0; row < rows; row++) {
      let left = before.visits[row]!;
      const from = nameOf(before, row, step);
      const add = (to: JourneyLink['to'], visits: number) => {
        left -= visits;
        if (visits > 0) found.push({ step, from, to, visits });
      };
      for (let column = 0; column < columns; column++)
        add(column === layer.nodes.length ? 'others' : column, folded.of(row, column));
      add('ended', left);
    }
    return found;
  }

  private stepOf({ nodes, others, visits }: Layer, ended: number): JourneyStep {
    return {
      nodes: nodes.map((item, place) => ({
        kind: kindOf(item),
        value: this.texts.of(item),
        visits: visits[place]!,
      })),
      others: { values: others, visits: visits[nodes.length]! },
      ended,
    };
  }
}

function nameOf({ nodes }: Layer, place: number, step: number): JourneyLink['from'] {
  if (step === 1) return 'start';
  return place === nodes.length ? 'others' : place;
}
