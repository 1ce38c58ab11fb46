import { setImmediate as turn } from 'node:timers/promises';
import { ByteRoom } from './byte-room';

let room: ByteRoom;
let begun: string[];
const ends = new Map<string, () => void>();
beforeEach(() => {
  room = new ByteRoom(10);
  begun = [];
});

async function run(name: string, bytes: number): Promise<void> {
  void room.run(bytes, () => {
    begun.push(name);
    return new Promise<void>((resolve) => ends.set(name, resolve));
  });
  await turn();
}

async function end(name: string): Promise<void> {
  ends.get(name)!();
  await turn();
}

it('has work wait that does not fit, and smaller work go before it', async () => {
  await run('a', 8);
  await run('b', 5);
  await run('c', 2);
  expect(begun).toEqual(['a', 'c']);
  await end('a');
  expect(begun).toEqual(['a', 'c', 'b']);
});

it('has work alone that takes more than all, and goes on after work that fails', async () => {
  await run('a', 1);
  await run('large', 20);
  const failed = room.run(1, () => Promise.reject(new Error('failed')));
  await expect(failed).rejects.toThrow('failed');
  await end('a');
  await run('b', 1);
  expect(begun).toEqual(['a', 'large']);
  await end('large');
  expect(begun).toEqual(['a', 'large', 'b']);
});
