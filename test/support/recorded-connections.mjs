import { appendFileSync } from 'node:fs';
import { Socket } from 'node:net';

const { connect } = Socket.prototype;

/** Preloaded into each Node.js that a program starts: appends the hosts that it connects to. */
Socket.prototype.connect = function (...words) {
  const [options, host = 'localhost'] = words.flat();
  appendFileSync(process.env.CONNECTIONS_FILE, `${options.path ?? options.host ?? host}\n`);
  return Reflect.apply(connect, this, words);
};
