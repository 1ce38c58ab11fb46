import { go } from '../address';
import { numberText } from '../format';
import type { Listed } from '../../statistics/more/listing';
import { texts } from '../texts';

/** Links between the pages of a list; the address contains the current page. */
export function Pager({ from, to, total, current_page: page, last_page: last }: Listed['meta']) {
  const step = (by: number) => go({ at: page + by === 1 ? undefined : String(page + by) });
  return (
    <div class="pager">
      <button class="plain" disabled={page <= 1} onClick={() => step(-1)}>
        {texts.more.previous}
      </button>
      <span class="quiet" role="status">
        {texts.more.shown(numberText(from), numberText(to), numberText(total))}
      </span>
      <button class="plain" disabled={page >= last} onClick={() => step(1)}>
        {texts.more.next}
      </button>
    </div>
  );
}

/** The page of the address. */
export const pageIn = (address: URLSearchParams) => Math.max(1, Math.floor(Number(address.get('at'))) || 1);
