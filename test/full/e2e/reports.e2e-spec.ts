import { ExclusionsService } from '../../../src/exclusions/exclusions.service';
import { ReportsService } from '../../../src/reports/reports.service';
import { day } from '../../../engine/ground/time/parsed';
import type { FreshDatabase } from '../../support/fresh-database';
import { closeDays } from '../../support/counted';
import { CountingProcess, pageViewOn } from '../../support/counting';
import { MailServer } from '../../support/mail-server';
import { passTime } from '../../support/passing-time';
import {
  fillReport,
  OWNER,
  type Reporter,
  reportsDatabase,
  reportsEnvironment,
  startReporter,
} from '../../support/reports';
import { addHits, visitorsOn } from '../../support/past-days';
import { exclude } from '../../support/website-resources';
import { forgetRollup, loseRollups } from '../../support/store-hooks';

let server: MailServer;
let fresh: FreshDatabase;
let reporter: Reporter;
beforeEach(async () => {
  server = await new MailServer().start();
  fresh = await reportsDatabase();
  reporter = await startReporter(reportsEnvironment(server, fresh.url));
});
afterEach(async () => {
  jest.restoreAllMocks();
  await reporter.stop();
  await server.stop();
  await fresh.drop();
});

const subjects = () => server.received.map(({ mail }) => mail.subject).sort();

describe('when a report is sent', () => {
  it('is once for each week and website, in the morning of its Monday', async () => {
    await reporter.website('one.example');
    await reporter.website('two.example');
    await reporter.website('none.example', 0);
    await reporter.run('2026-03-09T05:59:00Z');
    expect(subjects()).toEqual([
      'Weekly report of one.example: 23 February to 1 March 2026',
      'Weekly report of two.example: 23 February to 1 March 2026',
    ]);
    await reporter.run('2026-03-09T06:00:00Z');
    await reporter.run('2026-03-09T06:01:00Z');
    await reporter.run('2026-03-15T23:00:00Z');
    expect(subjects()).toEqual([
      'Weekly report of one.example: 2 to 8 March 2026',
      'Weekly report of one.example: 23 February to 1 March 2026',
      'Weekly report of two.example: 2 to 8 March 2026',
      'Weekly report of two.example: 23 February to 1 March 2026',
    ]);
    expect(await reporter.states()).toEqual(['sent', 'sent', 'sent', 'sent']);
  });

  it('is late, once, for the last of the periods that were missed', async () => {
    await reporter.website('one.example');
    await reporter.run('2026-03-09T07:00:00Z');
    await reporter.run('2026-04-03T22:00:00Z');
    expect(subjects()).toEqual([
      'Weekly report of one.example: 2 to 8 March 2026',
      'Weekly report of one.example: 23 to 29 March 2026',
    ]);
  });

  it('is not at once where reports are switched on later, or a rhythm is new', async () => {
    await reporter.run('2026-03-09T07:00:00Z');
    await reporter.website('one.example');
    await reporter.run('2026-03-11T07:00:00Z');
    await reporter.database.execute('DELETE FROM report_periods', []);
    await reporter.run('2026-03-18T07:00:00Z');
    expect(server.received).toEqual([]);
    expect(reporter.logs.join()).toContain('The first weekly reports will cover 16 to 22 March 2026');
    await reporter.run('2026-03-23T07:00:00Z');
    expect(subjects()).toEqual(['Weekly report of one.example: 16 to 22 March 2026']);
  });

  it('is that of the month, on the first of the next, in the time zone of the service', async () => {
    await reporter.website('one.example');
    const environment = { REPORTS: 'monthly', TIMEZONE: 'America/New_York' };
    const monthly = await startReporter({ ...reportsEnvironment(server, fresh.url), ...environment });
    await monthly.run('2026-03-01T10:45:00Z');
    await monthly.run('2026-03-01T11:00:00Z');
    await monthly.run('2026-04-01T09:45:00Z');
    await monthly.run('2026-04-01T10:00:00Z');
    await monthly.stop();
    expect(subjects()).toEqual([
      'Monthly report of one.example: February 2026',
      'Monthly report of one.example: January 2026',
      'Monthly report of one.example: March 2026',
    ]);
  });

  it('is once where two processes do it at the same time', async () => {
    for (let number = 0; number < 12; number++) {
      const id = await reporter.website(`site${number}.example`);
      await reporter.recipient(id, 'team@example.com', 0);
    }
    const other = await startReporter(reportsEnvironment(server, fresh.url));
    await Promise.all([reporter.run('2026-03-09T07:00:00Z'), other.run('2026-03-09T07:00:00Z')]);
    // Without the lease that keeps one of them out, they compete for each report.
    const compete = async (one: Reporter) => {
      for (let round = 0; round < 6; round++) {
        await one.database.execute("UPDATE leases SET expires_at = 0 WHERE name = 'reports'", []);
        // Each round's clock begins anew: later, so that what the last round planned is due.
        await one.run(Date.parse('2026-03-16T07:00:00Z') + round * 1000);
      }
    };
    await Promise.all([compete(reporter), compete(other)]);
    await other.stop();
    const sent = server.received.map(({ to, mail }) => `${to[0]}: ${mail.subject}`);
    expect([sent.length, new Set(sent).size]).toEqual([48, 48]);
  });
});

it('ends with the report under way where another process took over meanwhile', async () => {
  const slow = await new MailServer({
    onRcptTo: (_, __, answer) => {
      passTime(100_000);
      void reporter.database
        .execute("UPDATE leases SET owner = 'another', expires_at = 0 WHERE name = 'reports'", [])
        .then(() => answer());
    },
  }).start();
  const other = await startReporter(reportsEnvironment(slow, fresh.url));
  try {
    for (let number = 0; number < 3; number++) await reporter.website(`site${number}.example`);
    await other.run('2026-03-09T07:00:00Z');
    expect((await reporter.states()).sort()).toEqual(['sent', 'waiting', 'waiting']);
  } finally {
    await other.stop();
    await slow.stop();
  }
  await reporter.run('2026-03-09T08:00:00Z');
  expect(await reporter.states()).toEqual(['sent', 'sent', 'sent']);
});

describe('what a report says', () => {
  it('are the numbers of the period beside those before, in text and HTML', async () => {
    const id = await reporter.website('one.example');
    await fillReport(reporter, id, '2026-03-02');
    await reporter.run('2026-03-09T07:00:00Z');
    const [{ from, to, mail }] = server.received as [MailServer['received'][0]];
    expect([from, to]).toEqual(['stats@milepost.example', [OWNER]]);
    expect(mail.from).toMatchObject({ name: 'Milepost', address: 'stats@milepost.example' });
    for (const text of [mail.text!, stripped(mail.html!)]) {
      for (const told of [
        '42',
        '100',
        'none the week before',
        '/pricing',
        'news.example',
        'Germany',
        'Sign up',
      ])
        expect(text).toContain(told);
    }
    expect(mail.text).toMatch(/Mon {2}2 Mar +30 +80\nTue {2}3 Mar +12 +20\nWed {2}4 Mar +0 +0/);
    expect(mail.html).not.toMatch(/<script|<img|src=|url\(|@import/i);
  });

  it('are the bounce rate and the goals of the hits, beside these', async () => {
    const id = await reporter.website('one.example');
    await reporter.database.execute(
      `INSERT INTO goals (website_id, name, filters, created_at, updated_at) VALUES (?, 'Thanks', '[["is","page",["/thanks"]]]', 0, 0)`,
      [id],
    );
    const counting = await CountingProcess.start(fresh.url);
    const monday = day('2026-03-02');
    await counting.count(id, [
      pageViewOn(monday, '/', 'a'),
      pageViewOn(monday, '/', 'b'),
      pageViewOn(monday, '/thanks', 'b'),
    ]);
    await counting.stop();
    await reporter.run('2026-03-09T07:00:00Z');
    const [{ mail }] = server.received as [MailServer['received'][0]];
    expect(mail.text).toMatch(/Bounce rate +50% {2}\(none the week before\)/);
    expect(mail.text).toMatch(/Goals \(conversions\)\n +1 {2}Thanks/);
    expect(stripped(mail.html!)).toContain('Thanks');
  });

  it('are without what is excluded, before and after days are rolled up anew', async () => {
    const id = await reporter.website('one.example');
    await fillReport(reporter, id, '2026-03-02');
    await fillReport(reporter, id, '2026-03-09');
    await exclude(reporter.service(ExclusionsService), id, [['is', 'country', ['US']]]);
    await reporter.run('2026-03-09T07:00:00Z');
    await closeDays(reporter.counting, id);
    await reporter.run('2026-03-16T07:00:00Z');
    for (const { mail } of server.received) {
      expect(mail.text).toMatch(/Mon .+ Mar +30 +80\nTue .+ Mar +0 +8\nWed .+ Mar +0 +0/);
      expect(mail.text).not.toContain('United States');
    }
    expect(server.received).toHaveLength(2);
  });

  it('is in the language of the owner, with its numbers, dates and countries', async () => {
    const id = await reporter.website('one.example');
    await fillReport(reporter, id, '2026-03-02', { page: '/a', referrer: '(direct)' });
    await fillReport(reporter, id, '2026-03-09');
    await reporter.database.execute("UPDATE users SET language = 'de'", []);
    await reporter.run('2026-03-09T07:00:00Z');
    await reporter.run('2026-03-16T07:00:00Z');
    const [first, second] = server.received.map(({ mail }) => mail);
    expect(subjects()).toEqual([
      'Wochenbericht für one.example: 2. bis 8. März 2026',
      'Wochenbericht für one.example: 9. bis 15. März 2026',
    ]);
    expect(first!.text).toMatch(/Mo {2}2\. Mär +30 +80\nDi {2}3\. Mär +12 +20\nMi {2}4\. Mär +0 +0/);
    expect(first!.html).toContain('<html lang="de">');
    for (const text of [first!.text!, stripped(first!.html!)])
      for (const told of ['keine in der Woche davor', 'Deutschland', 'Direkt oder unbekannt', 'Verweise'])
        expect(text).toContain(told);
    for (const text of [second!.text!, stripped(second!.html!)]) expect(text).toMatch(/±0\s%/);
    const english = /visitor|view|week|page|country|days? /i;
    for (const { text, html } of [first!, second!])
      for (const shown of [text!, stripped(html!)])
        expect(shown.replaceAll(/https?:\S+/g, '')).not.toMatch(english);
  });

  it('is one line where nobody came', async () => {
    await reporter.website('one.example');
    await reporter.run('2026-03-09T07:00:00Z');
    const [{ mail }] = server.received as [MailServer['received'][0]];
    expect(mail.text).toContain('\n\nNobody visited this website during the week.\n\n');
    expect(mail.html).not.toContain('Page views');
  });

  it('is never a header, a recipient or markup, whatever visitors send', async () => {
    const id = await reporter.website('one.example');
    const hostile =
      '"><script>alert(1)</script>\r\nBcc: eve@evil.example\r\n\r\n.\r\nQUIT \u202Eevil &amp; \u2028x';
    await fillReport(reporter, id, '2026-03-02', {
      page: hostile,
      referrer: hostile,
      event: hostile,
    });
    await reporter.run('2026-03-09T07:00:00Z');
    const [{ to, mail }] = server.received as [MailServer['received'][0]];
    expect(server.received).toHaveLength(1);
    expect(to).toEqual([OWNER]);
    expect(mail.bcc).toBeUndefined();
    expect(mail.headers.map(({ key }) => key)).not.toContain('bcc');
    expect(mail.html).not.toContain('<script');
    expect(mail.html!.match(/&lt;script/g)).toHaveLength(3);
    expect(mail.text).not.toMatch(/^(Bcc|QUIT|\.)/m);
    expect(mail.text).not.toMatch(/[\u202E\u2028]/);
  });

  it('can be stopped by a link, in one click where mail programs may', async () => {
    await reporter.website('one.example');
    await reporter.run('2026-03-09T07:00:00Z');
    const [{ mail }] = server.received as [MailServer['received'][0]];
    const headers = new Map(mail.headers.map(({ key, value }) => [key, value]));
    const link = /^<(https:\/\/stats\.example\.com\/unsubscribe\/\S+)>$/.exec(
      headers.get('list-unsubscribe')!,
    )![1]!;
    expect(headers.get('list-unsubscribe-post')).toBe('List-Unsubscribe=One-Click');
    expect(headers.get('auto-submitted')).toBe('auto-generated');
    expect(mail.text).toContain(link);
    expect(mail.html).toContain(`href="${link}"`);
  });

  it('has no one-click header where its links are not encrypted, and a warning where they lead to this machine', async () => {
    await reporter.website('one.example');
    const environment = reportsEnvironment(server, fresh.url);
    const other = await startReporter({ ...environment, BASE_URL: '', HOST: '::1', PORT: '3001' });
    await other.run('2026-03-09T07:00:00Z');
    await other.stop();
    const [{ raw, mail }] = server.received as [MailServer['received'][0]];
    expect(mail.text).toContain('http://[::1]:3001/unsubscribe/');
    expect(raw).toContain('List-Unsubscribe:');
    expect(raw).not.toContain('List-Unsubscribe-Post');
  });

  it('has a link to its days: in the console for the owner, on the shared page for others', async () => {
    const id = await reporter.website('one.example');
    await reporter.recipient(id, 'team@example.com', 0);
    const mailsAt = async (privacy: number, monday: string) => {
      await reporter.database.execute('UPDATE websites SET privacy = ? WHERE id = ?', [privacy, id]);
      await reporter.run(`${monday}T07:00:00Z`);
      return server.received.slice(-2).map(({ mail }) => mail);
    };
    const days = 'range=custom&from=2026-03-02&to=2026-03-08';
    const links = [`/?website=${id}&${days}`, `/share/one.example?${days}`];
    for (const [index, { text, html }] of (await mailsAt(0, '2026-03-09')).entries()) {
      const link = `https://stats.example.com${links[index]}`;
      expect(text).toContain(`: ${link}\n`);
      expect(html).toContain(`href="${link.replaceAll('&', '&amp;')}"`);
    }
    const [, protectedPage] = await mailsAt(2, '2026-03-16');
    expect(protectedPage!.text).toContain('from=2026-03-09&to=2026-03-15');
    const [toOwner, toTeam] = await mailsAt(1, '2026-03-23');
    expect(toOwner!.text).toContain(`/?website=${id}&`);
    expect(toTeam!.text).not.toMatch(/\/share\/|website=/);
    expect(toTeam!.text).toContain('are sent to this address');
    expect(server.received).toHaveLength(6);
  });

  it('goes to no recipient of a website whose reports are off, and to none too late', async () => {
    const id = await reporter.website('one.example');
    await reporter.recipient(id, 'team@example.com', 0);
    await server.stop();
    await reporter.run('2026-03-09T07:00:00Z');
    await server.start();
    await reporter.database.execute('UPDATE websites SET email = 0 WHERE id = ?', [id]);
    await reporter.run('2026-03-09T12:00:00Z');
    expect(await reporter.copies()).toEqual(['skipped']);
    await reporter.database.execute('UPDATE websites SET email = 1 WHERE id = ?', [id]);
    await reporter.database.execute("UPDATE report_mails SET state = 'waiting'", []);
    await reporter.run('2026-03-16T07:00:00Z');
    expect(await reporter.copies()).toEqual(['failed', 'sent']);
    expect(server.received.map(({ to }) => to[0])).toEqual([OWNER, 'team@example.com']);
  });
});

describe('of a website with damaged data', () => {
  it('is tried once an hour, while other websites get theirs, and sent once the data are repaired', async () => {
    const damaged = await reporter.website('damaged.example');
    await reporter.website('other.example');
    // Enough for a rollup.
    await addHits(reporter, damaged, visitorsOn('2026-03-05', 200));
    await reporter.database.execute(loseRollups(damaged), []);
    const made = jest.spyOn(ReportsService.prototype, 'report');
    const attempts = () => made.mock.calls.filter(([{ id }]) => id === damaged).length;
    const start = Date.parse('2026-03-09T07:00:00Z');
    for (let minute = 0; minute < 60; minute++) await reporter.run(start + minute * 60_000);
    expect([attempts(), subjects()]).toEqual([1, ['Weekly report of other.example: 2 to 8 March 2026']]);
    expect(await reporter.deliveries()).toContainEqual(
      expect.objectContaining({
        websiteId: damaged,
        state: 'waiting',
        attempts: 1,
        reason: expect.stringMatching(/damaged/),
      }),
    );
    for (const minute of [61, 62, 119]) await reporter.run(start + minute * 60_000);
    expect(attempts()).toBe(2);
    await forgetRollup(reporter.database, damaged, day('2026-03-05'));
    await reporter.run(start + 123 * 60_000);
    expect(attempts()).toBe(3);
    expect(await reporter.states()).toEqual(['sent', 'sent']);
  });
});

describe('to whom', () => {
  it('is the owner, at the address of that moment', async () => {
    await reporter.website('one.example');
    await reporter.database.execute("UPDATE users SET email = 'eve@münchen.example'", []);
    await reporter.run('2026-03-09T07:00:00Z');
    expect(server.received.map(({ to }) => to)).toEqual([['eve@münchen.example']]);
  });

  it.each(['admin@localhost', 'a@[127.0.0.1]', 'a@b.invalid', 'a,b@evil.example', '<a>@b.example'])(
    'is nobody at %s, which is logged once',
    async (email) => {
      await reporter.website('one.example');
      await reporter.website('two.example');
      await reporter.database.execute('UPDATE users SET email = ?', [email]);
      await reporter.run('2026-03-09T07:00:00Z');
      await reporter.run('2026-03-16T07:00:00Z');
      expect(server.received).toEqual([]);
      const listed = await reporter.deliveries();
      expect(new Set(listed.map(({ state, reason }) => `${state} ${reason}`))).toEqual(
        new Set([`skipped no mail can be delivered to ${email}`]),
      );
      expect(reporter.logs.filter((line) => line.includes('is skipped'))).toHaveLength(1);
    },
  );

  it('is nobody once the reports are switched off, or the website is deleted', async () => {
    const [off, deleted] = [await reporter.website('off.example'), await reporter.website('deleted.example')];
    await server.stop();
    await reporter.run('2026-03-09T07:00:00Z');
    await server.start();
    await reporter.database.execute('UPDATE websites SET email = 0 WHERE id = ?', [off]);
    await reporter.database.execute('DELETE FROM websites WHERE id = ?', [deleted]);
    await reporter.run('2026-03-09T09:00:00Z');
    expect(server.received).toEqual([]);
    expect((await reporter.deliveries()).map(({ reason }) => reason).sort()).toEqual([
      'its reports were switched off',
      'the website was deleted',
    ]);
  });
});

function stripped(html: string): string {
  return html.replaceAll(/<style>[^]*?<\/style>|<[^>]+>/g, ' ');
}
