import { DayClock } from '../../common/time/day-clock';
import type { Reader } from '../../database/database';
import { valueLimitsOf } from '../../storage/rollups/value-limits';
import { HitsReading } from '../hits/hits-reading';
import { LiveAnswering } from '../live/live-answering';
import { PlainAnswering } from '../plain/plain-answering';
import type { Handlers, Lane } from './lane';
import { OpenLists } from './open-lists';
import type { ListKind, PlainKind } from './queries';

type Kinds = PlainKind | ListKind | 'nextPiece';

/** Answers what is soon done, and what gives way to others in short steps. */
export class PlainLane implements Lane<Kinds> {
  readonly handlers: Handlers<Kinds>;
  private readonly lists = new OpenLists();

  constructor(reader: Reader, timezone: string, threads: number, newValuesPerDay: number) {
    const maxValues = valueLimitsOf(newValuesPerDay).newPerDay;
    const plain = new PlainAnswering(reader, maxValues, threads);
    const hits = new HitsReading(reader);
    const live = new LiveAnswering(reader, new DayClock(timezone), threads);
    const { lists } = this;
    this.handlers = {
      plain: (request, turn) => plain.answer(request, turn),
      shown: (request, turn) => plain.shown(request, turn),
      live: ({ websiteId }, turn) => live.look(websiteId, turn),
      hitDays: (request, turn) => hits.days(request, turn),
      whole: (request, turn) => lists.open(request.list, turn, (own) => plain.whole(request, own)),
      hits: (request, turn) => lists.open(request.list, turn, (own) => hits.lines(request, own)),
      nextPiece: ({ list }, turn) => lists.next(list, turn),
    };
  }

  close(list: number): void {
    this.lists.close(list);
  }
}
