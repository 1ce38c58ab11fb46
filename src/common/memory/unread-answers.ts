import type { Socket } from 'node:net';

/**
 * Bounds the memory of answers that clients do not read: the oldest ones of the caller who leaves most unread are cut
 * off.
 */
export class UnreadAnswers<Caller> {
  private readonly callers = new Map<Socket, Caller>();

  constructor(private readonly maxBytes: number) {}

  /** To be called once an answer is written. */
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

  /** The oldest ones may be small, so that one of them is not always enough. */
  private bound(): void {
    for (let slowest = this.slowest(); slowest !== undefined; slowest = this.slowest()) this.cutOff(slowest);
  }

  /** Who leaves most unread; undefined where it is not too much together. */
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
