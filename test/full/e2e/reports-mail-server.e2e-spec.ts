import { readFileSync } from 'node:fs';
import type { SMTPServerOptions } from 'smtp-server';
import { CertificateAuthority } from '../../support/certificates';
import type { FreshDatabase } from '../../support/fresh-database';
import { MailServer } from '../../support/mail-server';
import { cli } from '../../support/programs';
import { type Reporter, reportsDatabase, reportsEnvironment, startReporter } from '../../support/reports';

const DUE = Date.parse('2026-03-09T07:00:00Z');
const HOUR_MS = 3_600_000;

let server: MailServer;
let fresh: FreshDatabase;
let reporter: Reporter;

async function begin(options: SMTPServerOptions = {}): Promise<void> {
  server = await new MailServer(options).start();
  fresh = await reportsDatabase();
  reporter = await startReporter(reportsEnvironment(server, fresh.url));
}
afterEach(async () => {
  await reporter.stop();
  await server.stop();
  await fresh.drop();
});

const outcomes = async () =>
  (await reporter.deliveries()).map(({ state, attempts, reason }) => `${state} ${attempts} ${reason}`);

function refusal(code: number): Error {
  return Object.assign(new Error('not you'), { responseCode: code });
}

it('is tried again with growing pauses while it is away, and given up in the end', async () => {
  await begin();
  await reporter.website('one.example');
  await reporter.website('two.example');
  await server.stop();
  const tried: number[] = [];
  for (let minutes = 0, before = ''; minutes < 36 * 60; minutes++) {
    await reporter.run(DUE + minutes * 60_000);
    const [first] = (await reporter.deliveries()).filter(({ domain }) => domain === 'one.example');
    const now = `${first!.state} ${first!.attempts}`;
    if (now !== before) tried.push(minutes);
    before = now;
    if (first!.state === 'failed') break;
    minutes += Math.max(0, Math.floor((first!.dueAt - DUE) / 60_000) - minutes - 1);
  }
  const pauses = tried.slice(1).map((minute, index) => minute - tried[index]!);
  expect(pauses).toHaveLength(7);
  // Equal pauses differ by a minute where an attempt takes some seconds.
  const shrinking = pauses.filter((pause, index) => pause < (pauses[index - 1] ?? 0) - 1);
  expect(shrinking).toEqual([]);
  expect(tried.at(-1)).toBeLessThan(36 * 60);
  expect(await outcomes()).toContainEqual(expect.stringMatching(/^failed 8 .*ECONNREFUSED/));
  await server.start();
  await reporter.run(DUE + 72 * HOUR_MS);
  expect(server.received.map(({ mail }) => mail.subject)).toEqual([
    'Weekly report of two.example: 2 to 8 March 2026',
  ]);
});

it('is asked at once about reports that failed or were claimed by a clock that was ahead', async () => {
  await begin();
  await reporter.website('one.example');
  await server.stop();
  await reporter.run(DUE + 15 * HOUR_MS);
  expect(await reporter.states()).toEqual(['waiting']);
  await server.start();
  await reporter.run(DUE);
  expect(await reporter.states()).toEqual(['sent']);
  const hold = (state: string) =>
    reporter.database.execute("UPDATE report_deliveries SET state = ?, owner = 'gone', due_at = ?", [
      ...[state, DUE + HOUR_MS],
    ]);
  await hold('claimed');
  await reporter.run(DUE);
  expect([await reporter.states(), server.received.length]).toEqual([['sent'], 2]);
  await hold('sending');
  await reporter.run(DUE);
  expect([await reporter.states(), server.received.length]).toEqual([['unknown'], 2]);
});

it('ends it for an address that it refuses for good, and no other', async () => {
  await begin({
    onRcptTo: ({ address }, _, answer) => answer(address.startsWith('ann') ? refusal(550) : undefined),
  });
  await reporter.website('one.example');
  await reporter.run(DUE);
  await reporter.run(DUE + HOUR_MS);
  expect(await outcomes()).toEqual([expect.stringMatching(/^failed 1 .*550 not you/)]);
  await reporter.database.execute("UPDATE users SET email = 'eve@example.com'", []);
  await reporter.website('two.example');
  await reporter.run(DUE + 7 * 24 * HOUR_MS);
  expect(server.received).toHaveLength(2);
});

it.each([
  ['the recipient', 'onRcptTo', 'waiting 1'],
  ['the sender', 'onMailFrom', 'waiting 1'],
] as const)('is tried again where it refuses %s for now', async (_, hook, outcome) => {
  let refuses = true;
  await begin({
    [hook]: (_: unknown, __: unknown, answer: (error?: Error) => void) =>
      answer(refuses ? refusal(451) : undefined),
  });
  await reporter.website('one.example');
  await reporter.run(DUE);
  expect(await outcomes()).toEqual([expect.stringContaining(`${outcome} `)]);
  refuses = false;
  await reporter.run(DUE + HOUR_MS);
  expect(await reporter.states()).toEqual(['sent']);
});

it.each([
  [451, 'waiting'],
  [554, 'failed'],
])('is believed where it answers the message with %s', async (code, state) => {
  await begin({
    onData: (stream, _, answer) => {
      stream.resume();
      stream.on('end', () => answer(refusal(code)));
    },
  });
  await reporter.website('one.example');
  await reporter.run(DUE);
  expect(await reporter.states()).toEqual([state]);
});

it('is not asked again where it drops the connection after the message: nobody knows what became of it', async () => {
  await begin({
    onData: (stream) => {
      stream.resume();
      stream.on('end', () => server.dropConnections());
    },
  });
  await reporter.website('one.example');
  await reporter.run(DUE);
  await reporter.run(DUE + 48 * HOUR_MS);
  expect(await outcomes()).toEqual([expect.stringMatching(/^unknown 1 /)]);
});

it('hinders nothing else while it hangs, and a process that stops does not wait for it', async () => {
  let requested = () => {};
  const hanging = new Promise<void>((resolve) => (requested = resolve));
  await begin({ onRcptTo: () => requested() });
  await reporter.website('one.example');
  const running = reporter.run(DUE);
  await hanging;
  await reporter.database.now();
  expect(await reporter.states()).toEqual(['claimed']);
  const other = await startReporter(reportsEnvironment(server, fresh.url));
  await reporter.stop();
  await running;
  expect(await other.states()).toEqual(['waiting']);
  reporter = other;
});

describe('that breaks the connection', () => {
  const drop: SMTPServerOptions['onRcptTo'] = ({ address }, _, answer) =>
    address.startsWith('tarpit') ? server.dropConnections() : answer();
  const owners = async (...names: string[]) => {
    for (const [index, name] of names.entries()) {
      const id = await reporter.website(`site${index}.example`);
      await reporter.database.execute(
        'INSERT INTO users (email, language, created_at) SELECT ?, language, created_at FROM users WHERE id = 1',
        [`${name}@example.com`],
      );
      await reporter.database.execute(
        'UPDATE websites SET user_id = (SELECT id FROM users WHERE email = ?) WHERE id = ?',
        [`${name}@example.com`, id],
      );
    }
  };

  it('when asked about one recipient delays the mails to that one alone', async () => {
    await begin({ onRcptTo: drop });
    await owners('tarpit', 'eve', 'bob');
    await reporter.run(DUE);
    expect(server.received.map(({ to: [address] }) => address).sort()).toEqual([
      'bob@example.com',
      'eve@example.com',
    ]);
    expect((await reporter.states()).sort()).toEqual(['sent', 'sent', 'waiting']);
  });

  it('when asked about two recipients in a row is away', async () => {
    await begin({ onRcptTo: drop });
    await owners('tarpit1', 'tarpit2', 'eve');
    await reporter.run(DUE);
    expect([server.received, await reporter.states()]).toEqual([[], ['waiting', 'waiting', 'waiting']]);
    expect(reporter.logs.join()).toContain('the mail server accepts nothing');
  });

  it('before it accepts the sender is away at once', async () => {
    const asked: string[] = [];
    await begin({
      onMailFrom: (_, { id }) => {
        asked.push(id);
        server.dropConnections();
      },
    });
    await owners('ann1', 'ann2');
    await reporter.run(DUE);
    expect([asked.length, await reporter.states()]).toEqual([1, ['waiting', 'waiting']]);
  });
});

it('is not asked again in a run about a recipient at whom it broke the connection', async () => {
  let asked = 0;
  await begin({
    onRcptTo: () => {
      asked++;
      server.dropConnections();
    },
  });
  for (const domain of ['one.example', 'two.example', 'three.example']) await reporter.website(domain);
  await reporter.run(DUE);
  expect(asked).toBe(1);
  expect(await outcomes()).toEqual(Array(3).fill(expect.stringMatching(/^waiting 1 /)));
});

it('is waited for while it is slow, and gets the next message over the same connection', async () => {
  const connections = new Set<string>();
  await begin({
    onMailFrom: (_, session, answer) => {
      connections.add(session.id);
      void reporter.states().then(() => answer());
    },
  });
  for (const domain of ['one.example', 'two.example', 'three.example']) await reporter.website(domain);
  await reporter.run(DUE);
  expect(server.received).toHaveLength(3);
  expect(connections.size).toBe(1);
});

it('is connected to again where it ended the connection between two messages', async () => {
  await begin();
  server.on('received', () => setImmediate(() => server.dropConnections()));
  for (const domain of ['one.example', 'two.example', 'three.example']) await reporter.website(domain);
  await reporter.run(DUE);
  await reporter.run(DUE + HOUR_MS);
  expect((await reporter.states()).filter((state) => state === 'sent').length).toBeGreaterThan(0);
  expect(new Set(await reporter.states())).not.toContain('failed');
});

it('gets user and password, and no log has them', async () => {
  const logins: string[] = [];
  await begin({
    authOptional: false,
    onAuth: ({ username, password }, _, answer) => {
      logins.push(`${username} ${password}`);
      answer(password === 's3:cret' ? null : refusal(535), { user: username });
    },
  });
  await reporter.website('one.example');
  const withLogin = async (login: string) => {
    const environment = reportsEnvironment(server, fresh.url);
    const SMTP_URL = environment.SMTP_URL!.replace('//', `//${login}@`);
    const process = await startReporter({ ...environment, SMTP_URL });
    await process.run(DUE + (logins.length + 1) * HOUR_MS);
    await process.stop();
    return process.logs.join();
  };
  expect(await withLogin('ann:wr0ng')).not.toContain('wr0ng');
  expect(await reporter.states()).toEqual(['waiting']);
  await withLogin('ann:s3%3Acret');
  expect(logins).toEqual(['ann wr0ng', 'ann s3:cret']);
  expect(await reporter.states()).toEqual(['sent']);
});

it('has to show a certificate for its name that is trusted', async () => {
  const authority = new CertificateAuthority();
  const { certificate, key } = authority.issue('localhost');
  await begin({ secure: true, cert: readFileSync(certificate), key: readFileSync(key) });
  await reporter.website('one.example');
  const environment = reportsEnvironment(server, fresh.url);
  const SMTP_URL = `smtps://localhost:${new URL(environment.SMTP_URL!).port}`;
  const send = (trusted: Record<string, string>) =>
    cli(['report', 'send', 'one.example'], { ...environment, SMTP_URL, ...trusted });
  expect((await send({})).stderr).toMatch(/error: it was not sent: .*certificate/);
  expect(server.received).toEqual([]);
  const sent = await send({ NODE_EXTRA_CA_CERTS: authority.certificate });
  expect(sent).toMatchObject({ code: 0, stdout: expect.stringContaining('was sent') });
  expect(server.received).toHaveLength(1);
  authority.remove();
});
