import { numberText, shortNumberText } from '../../shared/format';
import { texts } from '../../shared/texts';
import type { Website } from '../client';
import { Change, LiveCount } from './change';
import { type Numbers, totalOf } from './numbers';
import { Spark } from './spark';

const words = texts.console.websites;

interface Props {
  websites: Website[];
  numbers: Map<number, Numbers>;
}

/** All websites together. Its height is that of known numbers from the start. */
export function Total({ websites, numbers }: Props) {
  const known = websites.map(({ id }) => numbers.get(id)).filter((one) => one !== undefined);
  const total = known.length === websites.length ? totalOf(known) : undefined;
  const title = words.total(numberText(websites.length));
  return (
    <section class="card total" aria-label={title}>
      <div>
        <p class="quiet total-title">{title}</p>
        <p class="total-figures">
          <b title={total && numberText(total.sum)}>{total ? shortNumberText(total.sum) : '\u00a0'}</b>
          <Change numbers={total} />
          <LiveCount visitors={total?.live} unit={words.totalNow} />
        </p>
      </div>
      <Spark days={total?.days} label={title} />
    </section>
  );
}
