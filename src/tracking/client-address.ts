import type { IncomingMessage } from 'node:http';
import { Injectable } from '@nestjs/common';
import proxyaddr from 'proxy-addr';
import { Settings } from '../config/settings';
import { normaliseAddress } from './addresses';

type Trust = (address: string, hop: number) => boolean;

/** The address of a client: the socket's, unless proxies are trusted to name another. */
@Injectable()
export class ClientAddress {
  private readonly trust: Trust;

  constructor({ trustProxy }: Settings) {
    this.trust = trustOf(trustProxy);
  }

  of(request: IncomingMessage): string {
    const socket = request.socket.remoteAddress ?? '';
    return normaliseAddress(proxyaddr(request, this.trust)) ?? normaliseAddress(socket) ?? socket;
  }
}

function trustOf(proxies: Settings['trustProxy']): Trust {
  if (proxies === undefined) return () => false;
  return typeof proxies === 'number' ? (_, hop) => hop < proxies : proxyaddr.compile(proxies);
}
