import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { UnreadAnswers } from './unread-answers';

class SlowSocket extends EventEmitter {
  destroyed = false;

  constructor(readonly writableLength: number) {
    super();
  }

  get writableNeedDrain(): boolean {
    return !this.destroyed;
  }

  destroy(): void {
    this.destroyed = true;
    this.emit('close');
  }
}

const slow = (bytes: number) => new SlowSocket(bytes) as SlowSocket & Socket;

it('cuts off as many of the oldest answers of the slowest caller as are too much', () => {
  const unread = new UnreadAnswers<string>(100);
  const other = slow(8);
  const small = Array.from({ length: 5 }, () => slow(1));
  const large = [slow(90), slow(90), slow(90)];
  unread.add(other, 'other');
  for (const socket of [...small, ...large]) unread.add(socket, 'slow');
  const left = [other, ...small, ...large].filter(({ destroyed }) => !destroyed);
  expect(left).toEqual([other, large[2]]);
});

it('forgets a connection whose answers were read, and leaves no listener on it', () => {
  const unread = new UnreadAnswers<string>(100);
  const read = slow(60);
  for (let answer = 0; answer < 3; answer++) {
    unread.add(read, 'one');
    read.emit('drain');
  }
  const another = slow(60);
  unread.add(another, 'another');
  expect([read.destroyed, another.destroyed]).toEqual([false, false]);
  expect(read.eventNames()).toEqual([]);
});
