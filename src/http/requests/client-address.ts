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
  /** The header with one address, instead of the list of X-Forwarded-For. */
  private readonly header: string | undefined;
  private hasWarned: boolean;

  constructor({ trustProxy, clientIpHeader }: Settings) {
    this.trust = trustOf(trustProxy);
    this.header = clientIpHeader;
    this.hasWarned = trustProxy === 0;
  }

  of(request: IncomingMessage): string {
    const peer = request.socket.remoteAddress ?? '';
    const address = normaliseAddress(peer) ?? peer;
    const name = this.header ?? 'x-forwarded-for';
    if (request.headers[name] === undefined) return address;
    if (this.trust(address, 0))
      return this.header ? named(request, this.header, address) : this.last(request, address);
    this.warnOnce(name);
    return address;
  }

  /** Tells whether a peer is a trusted proxy. */
  isProxy(peer: string): boolean {
    return this.trust(normaliseAddress(peer) ?? peer, 0);
  }

  /** Forwarded addresses are read from the right, as long as each proxy is trusted and names an address. */
  private last({ headers }: IncomingMessage, peer: string): string {
    const forwarded = String(headers['x-forwarded-for']).split(',').reverse();
    let address = peer;
    for (let hop = 0; hop < Math.min(forwarded.length, MAX_HOPS) && this.trust(address, hop); hop++) {
      const next = forwardedAddress(forwarded[hop]!.trim());
      if (next === null) break;
      address = next;
    }
    return address;
  }

  /** Warns without the peer's address, which may be a visitor's. */
  private warnOnce(header: string): void {
    if (this.hasWarned) return;
    this.hasWarned = true;
    this.logger.warn(
      `${header} is ignored, because TRUST_PROXY does not trust its sender: visitors behind one proxy count as ` +
        'one. Set TRUST_PROXY to the number of proxies in front (like 1) or to their networks, or to 0 if there is none.',
    );
  }
}

/** A header that is sent twice may have come through the proxy. */
function named({ headersDistinct }: IncomingMessage, header: string, peer: string): string {
  const [sent, ...more] = headersDistinct[header] ?? [];
  return (more.length === 0 && sent !== undefined && forwardedAddress(sent.trim())) || peer;
}

function forwardedAddress(text: string): string | null {
  const [, ipv6, ipv4] = WITH_PORT.exec(text) ?? [];
  return normaliseAddress(ipv6 ?? ipv4 ?? text);
}

function trustOf(proxies: Settings['trustProxy']): Trust {
  if (proxies === undefined) return () => false;
  return typeof proxies === 'number' ? (_, hop) => hop < proxies : proxyaddr.compile(proxies);
}
