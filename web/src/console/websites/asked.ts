import { go } from '../../shared/address';
import type { Parameters } from '../../shared/api';

export const ORDERS = ['newest', 'visitors', 'domain'] as const;
export type Order = (typeof ORDERS)[number];

/** The orders of the API. The console itself sorts by visitors. */
const SORTED = {
  newest: { sort_by: 'id', sort: 'desc' },
  visitors: { sort_by: 'id', sort: 'desc' },
  domain: { sort_by: 'domain', sort: 'asc' },
} as const satisfies Record<Order, Parameters>;

/** The most that one request for the recent visitors may name. */
export const AT_ONCE = 100;

/** The order that was chosen last in this browser. */
const STORED_AS = 'milepost_order';

function rememberedOrder(): string | null {
  try {
    return localStorage.getItem(STORED_AS);
  } catch {
    return null;
  }
}

export function chooseOrder(order: string): void {
  try {
    localStorage.setItem(STORED_AS, order);
  } catch {
    // Storage is forbidden.
  }
  go({ sort: order, at: undefined });
}

export interface Asked {
  order: Order;
  onlyFavorites: boolean;
  isFiltered: boolean;
  parameters: Parameters;
}

/** The list of websites that an address requests. */
export function askedIn(address: URLSearchParams): Asked {
  const chosen = address.get('sort') ?? rememberedOrder();
  const order = ORDERS.find((one) => one === chosen) ?? 'newest';
  const onlyFavorites = address.get('favorite') === '1';
  return {
    order,
    onlyFavorites,
    isFiltered: onlyFavorites || address.has('search'),
    parameters: {
      ...SORTED[order],
      search: address.get('search') ?? undefined,
      favorite: onlyFavorites ? 1 : undefined,
      favorites_first: 1,
      per_page: AT_ONCE,
      page: Math.max(1, Math.floor(Number(address.get('at'))) || 1),
    },
  };
}
