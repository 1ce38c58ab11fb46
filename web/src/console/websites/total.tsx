import { numberText, shortNumberText } from '../../shared/format';
import { texts } from '../../shared/texts';
import { Change, LiveCount } from './change';
import type { Numbers } from './numbers';
import { Spark } from './spark';

const words = texts.console.websites;

interface Props {
  count: number;
  /** Undefined until it is known. */
  total: Numbers | undefined;
}

/** All websites together. Its height is that of known numbers from the start. */
export function Total({ count, total }: Props) {
  const title = words.total(numberText(count));
  return (
    <section class="card total" aria-label={title}>
      <div>
        <p class="quiet total-title">{title}</p>
        <p class="total-figures">
          <b title={total && numberText(total.sum)}>{total ? shortNumberText(total.sum) : '\u00a0'}</b>
          <Change numbers={total} />
          <LiveCount visitors={total?.live} unit={words.unitNow} />
        </p>
      </div>
      <Spark days={total?.days} label={title} />
    </section>
  );
}

/** In place of a total that could not be added up; an older one would be wrong. */
export function NoTotal({ count, retry }: { count: number; retry: () => void }) {
  return (
    <section class="card total" aria-label={words.total(numberText(count))}>
      <p role="alert">{words.totalFailed}</p>
      <button type="button" class="plain" onClick={retry}>
        {texts.again}
      </button>
    </section>
  );
}
