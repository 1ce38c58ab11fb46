import {
  type BaseRpcContext,
  NatsContext,
  RedisContext,
  type RmqContext,
  TcpContext,
} from '@nestjs/microservices';
import { normaliseAddress } from '../common/address';

/** The metadata of a message. */
export interface Origin {
  pattern: string;
  /** Wrong keys of an address are counted together. */
  address: string;
}

/** Brokers do not name the sender of a message. */
const BROKERS = 'messages';

export function originOf(context: BaseRpcContext): Origin {
  if (!(context instanceof TcpContext)) return { pattern: subjectOf(context), address: BROKERS };
  const peer = context.getSocketRef().netSocket.remoteAddress ?? '';
  return { pattern: context.getPattern(), address: normaliseAddress(peer) ?? peer };
}

function subjectOf(context: BaseRpcContext): string {
  if (context instanceof NatsContext) return context.getSubject();
  if (context instanceof RedisContext) return context.getChannel();
  return (context as RmqContext).getPattern();
}
