import { go } from '../../shared/address';
import type { Parameters } from '../../shared/api';
import { Search } from '../../shared/search';
import { texts } from '../../shared/texts';

const words = texts.console.websites;
const ORDERS = {
  newest: { sort_by: 'id', sort: 'desc' },
  oldest: { sort_by: 'id', sort: 'asc' },
  domain: { sort_by: 'domain', sort: 'asc' },
} as const;
type Order = keyof typeof ORDERS;

interface AskedWebsites {
  order: Order;
  onlyFavorites: boolean;
  isFiltered: boolean;
  parameters: Parameters;
}

/** The list of websites that an address requests. */
export function askedIn(address: URLSearchParams): AskedWebsites {
  const order = (Object.keys(ORDERS) as Order[]).find((one) => one === address.get('sort')) ?? 'newest';
  const onlyFavorites = address.get('favorite') === '1';
  return {
    order,
    onlyFavorites,
    isFiltered: onlyFavorites || address.has('search'),
    parameters: {
      ...ORDERS[order],
      search: address.get('search') ?? undefined,
      favorite: onlyFavorites ? 1 : undefined,
      per_page: 25,
      page: Math.max(1, Math.floor(Number(address.get('at'))) || 1),
    },
  };
}

interface ToolsProps extends Pick<AskedWebsites, 'order' | 'onlyFavorites'> {
  address: URLSearchParams;
}

export function Tools({ address, order, onlyFavorites }: ToolsProps) {
  return (
    <div class="tools filters">
      <Search address={address} />
      <button
        class="plain"
        aria-pressed={onlyFavorites}
        onClick={() => go({ favorite: onlyFavorites ? undefined : '1', at: undefined })}
      >
        ★ {words.favorites}
      </button>
      <select
        aria-label={words.order}
        value={order}
        onChange={({ currentTarget: { value } }) =>
          go({ sort: value === 'newest' ? undefined : value, at: undefined })
        }
      >
        {(Object.keys(ORDERS) as Order[]).map((one) => (
          <option key={one} value={one}>
            {words.orders[one]}
          </option>
        ))}
      </select>
    </div>
  );
}
