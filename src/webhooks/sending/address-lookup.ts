import { Resolver } from 'node:dns/promises';
import type { AllowedAddresses } from './allowed-addresses';
import { PostFailure } from './post-failure';

const TIMES = { timeout: 3000, tries: 2 };

/** The addresses of one name, for one connection. */
export type FoundAddress = { address: string; family: 4 | 6 };

/**
 * Looks names up by DNS itself, because the system's own look-up would block one of the few threads that files and
 * compression need, for as long as a slow name server likes.
 */
export class AddressLookup {
  constructor(
    private readonly allowed: AllowedAddresses,
    private readonly resolverOf: () => Resolver = () => new Resolver(TIMES),
  ) {}

  /**
   * The allowed addresses of a host, which is a name or an address without brackets. A connection must use them, and
   * not the name: another look-up may answer differently.
   */
  async find(host: string, family: 0 | 4 | 6, signal: AbortSignal): Promise<FoundAddress[]> {
    const all = family === 0 ? await this.resolve(host, signal) : [{ address: host, family }];
    if (all.length === 0) throw new PostFailure('the name has no address (ENOTFOUND)');
    const allowed = this.allowed.among(all);
    if (allowed.length === 0)
      throw new PostFailure(
        "the address is not on the internet, or in the service's own network, and not in WEBHOOK_ALLOW",
      );
    return allowed;
  }

  private async resolve(name: string, signal: AbortSignal): Promise<FoundAddress[]> {
    const resolver = this.resolverOf();
    const cancel = () => resolver.cancel();
    signal.addEventListener('abort', cancel, { once: true });
    try {
      const [four, six] = await Promise.all([
        resolver.resolve4(name).catch(() => []),
        resolver.resolve6(name).catch(() => []),
      ]);
      return [
        ...four.map((address) => ({ address, family: 4 as const })),
        ...six.map((address) => ({ address, family: 6 as const })),
      ];
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  }
}
