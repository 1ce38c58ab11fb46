import {
  type BaseRpcContext,
  NatsContext,
  RedisContext,
  type RmqContext,
  TcpContext,
} from '@nestjs/microservices';
import { normaliseAddress } from '../common/address';

/** What is known of a message besides what was sent. */
export interface Origin {
  pattern: string;
  /** The wrong keys of an address are counted together. */
  address: string;
}

/** Brokers do not tell from where a message comes. */
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
