import type { Problem } from '../../engine/ground/errors';
import { Malformed, TooLarge, UnknownMessage } from '../common/problems';
import { USE_CASES } from './use-cases';

/** The default of NATS. */
export const MAX_MESSAGE_LENGTH = 1024 * 1024;

/** The use case of a message that names none. */
export const UNKNOWN_MESSAGE = 'milepost.unknown';

/** Stands for a message without a use case, because it is unreadable or has an unknown name. */
export class Unanswerable {
  constructor(
    readonly problem: Problem,
    /** What was asked, if the context of the message does not have it. */
    readonly pattern?: string,
  ) {}
}

interface Packet {
  /** A message without one gets no answer. */
  id?: unknown;
  pattern?: unknown;
  data?: unknown;
}

/** Nest would parse a broker's message of any size, and quote a broken one in the log. */
export function parsePacket(sent: string | Uint8Array): unknown {
  if (sent.length > MAX_MESSAGE_LENGTH) return unreadable(new TooLarge('message'));
  try {
    return JSON.parse(typeof sent === 'string' ? sent : new TextDecoder().decode(sent)) as unknown;
  } catch {
    return unreadable(new Malformed('A message must be JSON.'));
  }
}

function unreadable(problem: Problem): Packet {
  return { id: '', data: new Unanswerable(problem) };
}

/** The fields may come without a packet around them. */
function packetOf(parsed: unknown): Packet {
  const { pattern, data } = (parsed ?? {}) as Packet;
  return pattern === undefined && data === undefined ? { data: parsed } : (parsed as Packet);
}

export const natsPackets = {
  deserialize: ({ data, reply }: { data: Uint8Array; reply?: string }, { channel }: { channel: string }) => {
    const packet = packetOf(parsePacket(data));
    // A message with a reply address expects an answer, whether or not the packet has an id.
    return { ...packet, id: packet.id ?? (reply ? '' : undefined), pattern: channel };
  },
};

/** For transports whose packet names the use case. Nest would log any other name, however long. */
export const namedPackets = {
  deserialize: (parsed: unknown) => {
    const packet = packetOf(parsed);
    const { pattern, data } = packet;
    if (typeof pattern === 'string' && Object.hasOwn(USE_CASES, pattern)) return { ...packet, pattern };
    const asked = typeof pattern === 'string' ? pattern : JSON.stringify(pattern);
    const unknown = data instanceof Unanswerable ? data : new Unanswerable(new UnknownMessage(), asked);
    return { ...packet, pattern: UNKNOWN_MESSAGE, data: unknown };
  },
};
