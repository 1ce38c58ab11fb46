import type { Socket } from 'node:net';

/**
 * Bounds the memory of answers that clients do not read: cuts off the oldest ones of the caller with the most unread
 * bytes.
 */
export class UnreadAnswers<Caller> {
  private readonly callers = new Map<Socket, Caller>();

  constructor(private readonly maxBytes: number) {}

  /** Must be called after an answer is written. */
  add(socket: Socket, caller: Caller): void {
    if (!socket.writableNeedDrain) return;
    if (!this.callers.has(socket)) this.watch(socket);
    this.callers.set(socket, caller);
    this.bound();
  }

  private watch(socket: Socket): void {
    const forget = () => {
      this.callers.delete(socket);
      socket.off('drain', forget).off('close', forget);
    };
    socket.on('drain', forget).on('close', forget);
  }

  /** The oldest answers may be small, so cutting off one caller's is not always enough. */
  private bound(): void {
    for (let slowest = this.slowest(); slowest !== undefined; slowest = this.slowest()) this.cutOff(slowest);
  }

  /** The caller with the most unread bytes. Undefined if the total is within the limit. */
  private slowest(): Caller | undefined {
    const byCaller = new Map<Caller, number>();
    let unread = 0;
    for (const [{ writableLength }, caller] of this.callers) {
      unread += writableLength;
      byCaller.set(caller, (byCaller.get(caller) ?? 0) + writableLength);
    }
    if (unread <= this.maxBytes) return undefined;
    const [[slowest]] = [...byCaller].sort(([, one], [, other]) => other - one) as [[Caller, number]];
    return slowest;
  }

  private cutOff(caller: Caller): void {
    const [oldest] = Array.from(this.callers).find(([, one]) => one === caller)!;
    this.callers.delete(oldest);
    oldest.destroy();
  }
}
