import { Resolver } from 'node:dns/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AllowedAddresses } from './allowed-addresses';
import { codeOf, PostFailure } from './post-failure';

const TIMES = { timeout: 3000, tries: 2 };
/** How long a family of addresses may take once there is one of the other. */
const WAITS_FOR_OTHER_MS = 300;
/** There is no such name, or it has no address of a family. */
const HAS_NONE = ['ENOTFOUND', 'ENODATA'];

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
      const answers = await enoughOf([
        answerOf(resolver.resolve4(name), 4),
        answerOf(resolver.resolve6(name), 6),
      ]);
      const found = answers.flatMap((one) => one.found);
      const failure = answers.find((one) => one.failure !== undefined)?.failure;
      if (found.length === 0 && failure !== undefined)
        throw new PostFailure(`the name could not be looked up (${failure})`);
      return found;
    } finally {
      signal.removeEventListener('abort', cancel);
      cancel();
    }
  }
}

/** What a name server says about the addresses of one family. */
interface Answer {
  found: FoundAddress[];
  /** Why there is none. Undefined if the name has none. */
  failure?: string;
}

async function answerOf(asked: Promise<string[]>, family: 4 | 6): Promise<Answer> {
  try {
    return { found: (await asked).map((address) => ({ address, family })) };
  } catch (error) {
    const code = codeOf(error);
    return { found: [], ...(!HAS_NONE.includes(code) && { failure: code }) };
  }
}

/** Both answers. Once one has addresses, the other is waited for a moment. */
async function enoughOf(asked: Promise<Answer>[]): Promise<Answer[]> {
  const both = Promise.all(asked);
  const first = await Promise.race([both, ...asked.map((one) => one.then(untilThereAreSome))]);
  if (Array.isArray(first)) return first;
  return Promise.race([both, sleep(WAITS_FOR_OTHER_MS, [first], { ref: false })]);
}

/** Never ends for an answer without addresses. */
function untilThereAreSome(answer: Answer): Answer | Promise<never> {
  return answer.found.length > 0 ? answer : new Promise<never>(() => undefined);
}
