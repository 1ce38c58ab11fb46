import { createRequire } from 'node:module';

/**
 * Runs command lines one after the other in one process, because loading code takes most of a command's time. As in a
 * process of its own, a command has ended once nothing of it holds the process open.
 */
const require = createRequire(import.meta.url);
const program = require.resolve('../../dist/src/cli.js');
let ended = { code: 0, stdout: '', stderr: '' };
let hasExited = false;

for (const stream of ['stdout', 'stderr'])
  process[stream].write = (text) => {
    if (!hasExited) ended[stream] += text;
    return true;
  };

process.exit = (code) => {
  if (!hasExited) ended.code = code ?? process.exitCode ?? 0;
  hasExited = true;
  throw new Error('the command has exited');
};

process.on('message', ({ parameters, environment }) => {
  process.channel.unref();
  ended = { code: 0, stdout: '', stderr: '' };
  hasExited = false;
  process.exitCode = undefined;
  process.argv = [process.execPath, program, ...parameters];
  process.env = environment;
  delete require.cache[program];
  require(program);
});

process.on('beforeExit', () => {
  if (!hasExited) ended.code = process.exitCode ?? 0;
  process.channel.ref();
  process.send(ended);
});
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
process.channel.ref();
