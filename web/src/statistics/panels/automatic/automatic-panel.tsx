import { ENTRIES, Entries } from '../entries';
import type { Filter } from '../../filters/filters';
import { ShowAll } from '../panel';
import { Since } from '../../../shared/notices';
import type { Span } from '../../../shared/ranges';
import type { Counts } from '../../chart/series';
import type { Reading } from '../../reading';
import type { AutomaticList } from './automatic-events';
import { texts } from '../../../shared/texts';

interface Props {
  list: AutomaticList;
  span: Span | undefined;
  now: Counts;
  filters: Filter[];
  reading: Reading;
}

const NO_SUMS = new Map<string, never>();

/** The addresses, paths or percents of an automatic event. */
export function AutomaticPanel({ list, span, now, filters, reading }: Props) {
  const { automatic, entries, total, since } = list;
  const { id, name } = automatic;
  const heading = texts.panels[id];
  return (
    <section class={`card panel ${id}`} aria-labelledby={`${id}-title`}>
      <div class="panel-head">
        <h2 id={`${id}-title`}>{heading}</h2>
      </div>
      {since !== undefined && span ? (
        <Since day={since} span={span} />
      ) : (
        <>
          <div class="columns quiet" aria-hidden="true">
            <span />
            <span>{texts.counts.events}</span>
            <span>{texts.counts.visitors}</span>
          </div>
          <Entries {...{ name, automatic, entries, now, filters, reading }} sums={NO_SUMS} most={ENTRIES} />
          <ShowAll
            more={id}
            {...{ heading, total }}
            hasMore={!automatic.isOfPercents && total > ENTRIES}
            hasDetails
          />
        </>
      )}
    </section>
  );
}
