import { go } from '../../shared/address';
import { Search } from '../../shared/controls/search';
import { Sign } from '../../shared/sign';
import { texts } from '../../shared/texts';
import { type Asked, chooseOrder, ORDERS } from './asked';

const words = texts.console.websites;

interface ToolsProps extends Pick<Asked, 'order' | 'onlyFavorites'> {
  address: URLSearchParams;
  maySortByVisitors: boolean;
  areMany: boolean;
}

/** The order of the list, and ways to find a website among many. */
export function Tools({ address, order, onlyFavorites, maySortByVisitors, areMany }: ToolsProps) {
  return (
    <div class="list-tools">
      {areMany && <Search address={address} />}
      {areMany && (
        <button
          class="plain"
          aria-pressed={onlyFavorites}
          onClick={() => go({ favorite: onlyFavorites ? undefined : '1', at: undefined })}
        >
          <Sign name="star" /> {words.favorites}
        </button>
      )}
      <select
        aria-label={words.order}
        value={order}
        onChange={({ currentTarget: { value } }) => chooseOrder(value)}
      >
        {ORDERS.filter((one) => one !== 'visitors' || maySortByVisitors).map((one) => (
          <option key={one} value={one}>
            {words.orders[one]}
          </option>
        ))}
      </select>
    </div>
  );
}
