import type { IncomingMessage } from 'node:http';
import { Injectable, Logger } from '@nestjs/common';
import proxyaddr from 'proxy-addr';
import { Settings } from '../../config/settings';
import { normaliseAddress } from '../../common/address';

type Trust = (address: string, hop: number) => boolean;

const MAX_HOPS = 100;
/** Some proxies add the port, and put IPv6 into brackets then. */
const WITH_PORT = /^"?(?:\[([^\]]*)\]|([\d.]+))(?::\d{1,5})?"?$/;

/** The address of a client: the socket's, unless a trusted proxy names another. */
@Injectable()
export class ClientAddress {
  private readonly logger = new Logger('ClientAddress');
  private readonly trust: Trust;
  private hasWarned: boolean;

  constructor({ trustProxy }: Settings) {
    this.trust = trustOf(trustProxy);
    this.hasWarned = trustProxy === 0;
  }

  /** Forwarded addresses are read from the right, as long as each proxy is trusted and names an address. */
  of({ socket, headers }: IncomingMessage): string {
    const peer = socket.remoteAddress ?? '';
    let address = normaliseAddress(peer) ?? peer;
    const header = headers['x-forwarded-for'];
    if (header === undefined) return address;
    if (!this.trust(address, 0)) {
      this.warnOnce();
      return address;
    }
    const forwarded = String(header).split(',').reverse();
    for (let hop = 0; hop < Math.min(forwarded.length, MAX_HOPS) && this.trust(address, hop); hop++) {
      const next = forwardedAddress(forwarded[hop]!.trim());
      if (next === null) break;
      address = next;
    }
    return address;
  }

  /** Tells whether a peer is a trusted proxy. */
  isProxy(peer: string): boolean {
    return this.trust(normaliseAddress(peer) ?? peer, 0);
  }

  /** Warns without the peer's address, which may be a visitor's. */
  private warnOnce(): void {
    if (this.hasWarned) return;
    this.hasWarned = true;
    this.logger.warn(
      'X-Forwarded-For is ignored, because TRUST_PROXY does not trust its sender: visitors behind one proxy count as ' +
        'one. Set TRUST_PROXY to the number of proxies in front (like 1) or to their networks, or to 0 if there is none.',
    );
  }
}

function forwardedAddress(text: string): string | null {
  const [, ipv6, ipv4] = WITH_PORT.exec(text) ?? [];
  return normaliseAddress(ipv6 ?? ipv4 ?? text);
}

function trustOf(proxies: Settings['trustProxy']): Trust {
  if (proxies === undefined) return () => false;
  return typeof proxies === 'number' ? (_, hop) => hop < proxies : proxyaddr.compile(proxies);
}
