import { domainToASCII } from 'node:url';
import { ApiClient } from '../support/api-client';
import { startApp, type TestApp } from '../support/test-app';

const WEBSITES = '/api/v1/websites';

let service: TestApp;
let api: ApiClient;
beforeAll(async () => {
  service = await startApp();
  api = service.api;
});
afterAll(() => service.stop());

let count = 0;
const freshDomain = () => `site${++count}.example.com`;
const store = async (fields: Record<string, unknown> = {}) =>
  (await api.post(WEBSITES, { form: { domain: freshDomain(), ...fields } })).body.data;

describe('store', () => {
  it('answers 201 with the place and the defaults', async () => {
    const answer = await api.post(WEBSITES, { form: { domain: 'defaults.example.com' } });
    expect(answer.status).toBe(201);
    const { id, created_at } = answer.body.data;
    expect(answer.headers.get('Location')).toBe(`${WEBSITES}/${id}`);
    expect(answer.body).toEqual({
      data: {
        id: expect.any(Number),
        domain: 'defaults.example.com',
        privacy: 1,
        has_password: false,
        email: 0,
        exclude_bots: 1,
        exclude_params: null,
        exclude_ips: null,
        allowed_origins: null,
        share_filters: 0,
        titles: 0,
        favorited_at: null,
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        updated_at: created_at,
      },
    });
    expect((await api.get(`${WEBSITES}/${id}`)).body).toEqual(answer.body);
  });

  const everything = {
    privacy: 2,
    password: 'geheim',
    email: 1,
    exclude_bots: 0,
    exclude_params: ' session \r\n\r\nref_*\n',
    exclude_ips: '203.0.113.7\n 2001:db8::/32 ',
    allowed_origins: ' WWW.Shop.example.net\n*.münchen.example\r\nlocalhost',
    share_filters: 1,
    titles: 1,
    favorited_at: '2026-01-31T12:00:00',
  };
  const everythingStored = {
    privacy: 2,
    has_password: true,
    email: 1,
    exclude_bots: 0,
    exclude_params: 'session\nref_*',
    exclude_ips: '203.0.113.7\n2001:db8::/32',
    allowed_origins: 'shop.example.net\n*.xn--mnchen-3ya.example\nlocalhost',
    share_filters: 1,
    titles: 1,
    favorited_at: '2026-01-31T12:00:00',
  };

  it.each(['form', 'json'] as const)('takes every field as %s', async (kind) => {
    const answer = await api.post(WEBSITES, { [kind]: { domain: freshDomain(), ...everything } });
    expect(answer.body.data).toMatchObject(everythingStored);
    expect(answer.text).not.toContain('geheim');
  });

  it('shows the fields in their order', async () => {
    expect(Object.keys(await store())).toEqual([
      ...[
        'id',
        'domain',
        'privacy',
        'has_password',
        'email',
        'exclude_bots',
        'exclude_params',
        'exclude_ips',
      ],
      ...['allowed_origins', 'share_filters', 'titles', 'favorited_at', 'created_at', 'updated_at'],
    ]);
  });

  it('takes JSON in its own types', async () => {
    const sent = {
      email: true,
      share_filters: true,
      exclude_bots: false,
      exclude_params: ['session', ' ref_* '],
      exclude_ips: ['::1', '10.0.0.0/8'],
      allowed_origins: ['*.example.net', 'www.example.org'],
      favorited_at: '2026-01-31T12:00:00Z',
    };
    const shown = {
      email: 1,
      share_filters: 1,
      exclude_bots: 0,
      exclude_params: 'session\nref_*',
      exclude_ips: '::1\n10.0.0.0/8',
      allowed_origins: '*.example.net\nexample.org',
      favorited_at: '2026-01-31T12:00:00',
    };
    const { body } = await api.post(WEBSITES, { json: { domain: freshDomain(), ...sent } });
    expect(body.data).toMatchObject(shown);
    const { id } = await store();
    expect((await api.patch(`${WEBSITES}/${id}`, { json: sent })).body.data).toMatchObject(shown);
    const cleared = { exclude_params: [], exclude_ips: [''], allowed_origins: [] };
    expect((await api.patch(`${WEBSITES}/${id}`, { json: cleared })).body.data).toMatchObject({
      ...shown,
      exclude_params: null,
      exclude_ips: null,
      allowed_origins: null,
    });
  });

  it('takes the digits of a number as JSON text', async () => {
    const answer = await api.post(WEBSITES, { json: { domain: freshDomain(), privacy: '0', email: '1' } });
    expect(answer.body.data).toMatchObject({ privacy: 0, email: 1 });
  });

  it('counts an empty optional text as absent', async () => {
    const empty = { password: '', exclude_params: '', exclude_ips: '', favorited_at: '' };
    expect(await store(empty)).toMatchObject({
      has_password: false,
      exclude_params: null,
      exclude_ips: null,
      favorited_at: null,
    });
  });

  it.each([
    [' WWW.Trim.Example.COM ', 'trim.example.com'],
    ['münchen.example', 'xn--mnchen-3ya.example'],
    ['www.com', 'www.com'],
    ['www.www.twice.example', 'twice.example'],
    ['ΣΑΣ-a.example', 'xn---a-b9b5eb.example'],
    ['a-b.xn--p1ai', 'a-b.xn--p1ai'],
    ['no.such.toplevel', 'no.such.toplevel'],
    [`${'a'.repeat(63)}.example`, `${'a'.repeat(63)}.example`],
  ])('keeps the domain %j as %j', async (sent, kept) => {
    expect((await api.post(WEBSITES, { form: { domain: sent } })).body.data.domain).toBe(kept);
  });

  it.each([
    '',
    ' ',
    'https://example.com',
    'example.com:80',
    'example.com/path',
    'a@example.com',
    '192.0.2.1',
    '[2001:db8::1]',
    '2001:db8::1',
    '0x7f.1',
    '-a.example.com',
    'a-.example.com',
    'a_b.example.com',
    'a..example.com',
    'example.com.',
    '.example.com',
    'exa mple.com',
    'example.com\u0000',
    '*.example.com',
    `${'a'.repeat(64)}.example.com`,
    `${'a.'.repeat(126)}example`,
  ])('refuses the domain %j', async (domain) => {
    const answer = await api.post(WEBSITES, { form: { domain } });
    expect(answer.status).toBe(422);
    expect(Object.keys(answer.body.errors)).toEqual(['domain']);
  });

  it('needs a domain', async () => {
    for (const sent of [{ form: {} }, { json: {} }, { json: { domain: null } }, {}]) {
      const answer = await api.post(WEBSITES, sent);
      expect(answer.status).toBe(422);
      expect(answer.body.errors.domain).toHaveLength(1);
    }
  });

  it('refuses a domain that is taken, whoever took it and however it is written', async () => {
    const { domain } = await store();
    for (const caller of [api, await service.anotherUser()]) {
      const answer = await caller.post(WEBSITES, { form: { domain: `WWW.${domain.toUpperCase()}` } });
      expect(answer.status).toBe(422);
      expect(answer.body.errors).toEqual({ domain: ['is already registered'] });
    }
  });

  it('makes one website of 50 equal stores at once', async () => {
    const domain = freshDomain();
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => api.post(WEBSITES, { form: { domain } })),
    );
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([201, ...Array.from({ length: 49 }, () => 422)]);
    expect((await api.get(`${WEBSITES}?search=${domain}`)).body.meta.total).toBe(1);
  });

  it('uses up no id where it is refused', async () => {
    const { id, domain } = await store();
    await api.post(WEBSITES, { form: { domain } });
    expect((await store()).id).toBe(id + 1);
  });

  it('never gives an id again', async () => {
    const first = await store();
    await api.delete(`${WEBSITES}/${first.id}`);
    expect((await store()).id).toBeGreaterThan(first.id);
  });
});

describe('email without a mail server', () => {
  it('is stored with a warning that reports are not sent, and a tag of the website alone', async () => {
    const stored = await api.post(WEBSITES, { form: { domain: freshDomain(), email: 1 } });
    const path = `${WEBSITES}/${stored.body.data.id}`;
    const warnings = [{ code: 'reports_not_sent', detail: expect.stringContaining('SMTP_URL') }];
    expect(stored.body).toMatchObject({ data: { email: 1 }, meta: { warnings } });
    expect(stored.headers.get('ETag')).toBe((await api.get(path)).headers.get('ETag'));
    const headers = { 'If-Match': stored.headers.get('ETag')! };
    for (const method of ['put', 'patch'] as const)
      expect((await api[method](path, { form: { privacy: 1 }, headers })).body.meta).toEqual({ warnings });
    expect((await api.patch(path, { form: { email: 0 } })).body).toEqual((await api.get(path)).body);
  });

  it('needs no warning where reports are sent', async () => {
    const mailing = await startApp({ SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'stats@example.com' });
    const answer = await mailing.api.post(WEBSITES, { form: { domain: 'mailing.example', email: 1 } });
    await mailing.stop();
    expect(answer.body).toEqual({ data: expect.objectContaining({ email: 1 }) });
  });
});

describe('domains of several users', () => {
  const reason = async (caller: ApiClient, domain: string) => {
    const { status, body } = await caller.post(WEBSITES, { form: { domain } });
    return status === 201 ? 'stored' : (body.errors.domain as string[])[0];
  };

  it.each(['com.au', 'github.io', 'www.github.io', 'com', 'foo.ck'])(
    'refuses the public suffix %s',
    async (domain) => {
      expect(await reason(api, domain)).toContain('public suffix');
    },
  );

  it('keeps the subdomains of a website for its owner', async () => {
    const [owner, other] = [await service.anotherUser(), await service.anotherUser()];
    expect(await reason(owner, 'parent.example')).toBe('stored');
    for (const domain of ['shop.parent.example', 'a.b.parent.example'])
      expect(await reason(other, domain)).toBe("is a subdomain of another user's website");
    expect(await reason(owner, 'shop.parent.example')).toBe('stored');
    expect(await reason(other, 'notparent.example')).toBe('stored');
  });

  it('lets the domain above be stored by another user, whose it may be', async () => {
    const [owner, other] = [await service.anotherUser(), await service.anotherUser()];
    expect(await reason(other, 'shop.above.example')).toBe('stored');
    expect(await reason(owner, 'above.example')).toBe('stored');
  });

  it('keeps to the order of two stores at once', async () => {
    const [owner, other] = [await service.anotherUser(), await service.anotherUser()];
    for (let round = 0; round < 5; round++) {
      const [above, below] = await Promise.all([
        owner.post(WEBSITES, { form: { domain: `race${round}.example` } }),
        other.post(WEBSITES, { form: { domain: `shop.race${round}.example` } }),
      ]);
      expect(above.status).toBe(201);
      if (below.status === 201) expect(below.body.data.id).toBeLessThan(above.body.data.id);
      else expect(below.status).toBe(422);
    }
  });

  it('keeps a deleted domain for its owner, for 30 days', async () => {
    const [owner, other] = [await service.anotherUser(), await service.anotherUser()];
    const domain = 'reserved.example';
    const first = (await owner.post(WEBSITES, { form: { domain } })).body.data;
    await owner.delete(`${WEBSITES}/${first.id}`);
    expect(await reason(other, domain)).toContain('reserved for its former owner');
    const again = (await owner.post(WEBSITES, { form: { domain } })).body.data;
    expect(again.id).toBeGreaterThan(first.id);
    await owner.delete(`${WEBSITES}/${again.id}`);
    expect(await reason(other, domain)).toContain('reserved');
    const days = (count: number) =>
      service.database.write((manager) =>
        manager.query('UPDATE reserved_domains SET reserved_until = reserved_until - ?', [
          count * 86_400_000,
        ]),
      );
    await days(29);
    const aYearAhead = Date.now() + 365 * 86_400_000;
    const clock = jest.spyOn(Date, 'now').mockReturnValue(aYearAhead);
    expect(await reason(other, domain)).toContain('reserved');
    clock.mockRestore();
    await days(1);
    expect(await reason(other, domain)).toBe('stored');
  });
});

describe('a domain of one machine or network only', () => {
  const LOCAL = ['localhost', '127.0.0.1', '[::1]', 'intranet'];
  let strict: TestApp;
  beforeAll(async () => void (strict = await startApp({ ALLOW_LOCAL_DOMAINS: 'off' })));
  afterAll(() => strict.stop());

  it.each(LOCAL)('is stored where that is allowed: %s', async (domain) => {
    expect((await api.post(WEBSITES, { form: { domain } })).body.data).toMatchObject({ domain });
  });

  it.each(LOCAL)('is refused elsewhere: %s', async (domain) => {
    const { status, body } = await strict.api.post(WEBSITES, { form: { domain } });
    expect([status, Object.keys(body.errors)]).toEqual([422, ['domain']]);
  });
});

describe('values that are not allowed', () => {
  it.each([
    ['privacy', ['', '3', '-1', '01', ' 1', '1e0', '0x1', '+1', '1.0', 'true', 'Private']],
    ['email', ['', '2', '10', 'yes', '٠']],
    ['exclude_bots', ['', '2', 'false']],
    ['share_filters', ['', '2', '-1', 'true']],
    ['titles', ['', '2', '-1', 'true']],
    [
      'exclude_ips',
      ['1.2.3', '1.2.3.4/33', '::1/129', '1.2.3.4/', '1.2.3.4/08', 'example.com', 'fe80::1%eth0'],
    ],
    [
      'exclude_ips',
      ['::1\n1.2.3.256', Array.from({ length: 1001 }, (_, i) => `10.0.${i >> 8}.${i & 255}`).join('\n')],
    ],
    [
      'allowed_origins',
      ['https://example.net', 'example.net:80', '*', '*.', 'a.*.example', '192.0.2.1', 'a b'],
    ],
    ['exclude_params', ['a b', 'a=b', 'a&b', 'a\u0000b', 'x'.repeat(256)]],
    [
      'favorited_at',
      [
        '2026-02-30T00:00:00',
        '2026-01-01',
        '2026-01-01 00:00:00',
        '2026-01-01T24:00:00',
        '2026-01-01T00:00:00Z',
        '1969-12-31T23:59:59',
        'now',
      ],
    ],
    ['password', ['x'.repeat(129)]],
  ])('are refused by name: %s', async (field, values) => {
    const { id } = await store();
    for (const value of values) {
      for (const answer of [
        await api.post(WEBSITES, { form: { domain: freshDomain(), [field]: value } }),
        await api.patch(`${WEBSITES}/${id}`, { form: { [field]: value } }),
      ]) {
        expect([field, value, answer.status]).toEqual([field, value, 422]);
        expect(Object.keys(answer.body.errors)).toEqual([field]);
      }
    }
  });

  it('name the line that is wrong', async () => {
    const answer = await api.post(WEBSITES, { form: { domain: freshDomain(), exclude_ips: '::1\n\n1.2.3' } });
    expect(answer.body.errors.exclude_ips[0]).toContain('line 3: "1.2.3"');
  });

  it('are refused in JSON by their type', async () => {
    for (const value of [true, {}, [], ['1'], 1.5, -0.5, 1e21])
      expect((await api.post(WEBSITES, { json: { domain: freshDomain(), privacy: value } })).status).toBe(
        422,
      );
    for (const field of ['exclude_params', 'exclude_ips', 'allowed_origins'])
      for (const value of [1, true, {}, [1], [null], [['::1']], [{}], ['a\nb'], Array(1001).fill('::1')]) {
        const answer = await api.post(WEBSITES, { json: { domain: freshDomain(), [field]: value } });
        expect([field, Object.keys(answer.body.errors ?? {})]).toEqual([field, [field]]);
      }
    for (const value of [1, true, {}, ['a']])
      expect((await api.post(WEBSITES, { json: { domain: freshDomain(), password: value } })).status).toBe(
        422,
      );
  });
});

describe.each(['put', 'patch'] as const)('update by %s', (method) => {
  it('changes what is sent and leaves the rest', async () => {
    const before = await store({ email: 1, exclude_ips: '::1', favorited_at: '2026-01-01T00:00:00' });
    const answer = await api[method](`${WEBSITES}/${before.id}`, {
      form: { privacy: 0, exclude_params: 'a' },
    });
    expect(answer.status).toBe(200);
    expect(answer.body.data).toEqual({
      ...before,
      privacy: 0,
      exclude_params: 'a',
      updated_at: answer.body.data.updated_at,
    });
    expect((await api.get(`${WEBSITES}/${before.id}`)).body).toEqual({ data: answer.body.data });
  });

  it('changes nothing where nothing is sent', async () => {
    const before = await store();
    expect((await api[method](`${WEBSITES}/${before.id}`)).body.data).toMatchObject({
      privacy: 1,
      exclude_bots: 1,
    });
  });

  it.each(['form', 'json'])('clears by what is empty in %s', async (kind) => {
    const form = kind === 'form';
    const { id } = await store({
      exclude_params: 'a',
      exclude_ips: '::1',
      favorited_at: '2026-01-01T00:00:00',
      password: 'x',
    });
    const names = ['exclude_params', 'exclude_ips', 'favorited_at', 'password'];
    const fields = Object.fromEntries(names.map((name) => [name, form ? '' : null]));
    const answer = await api[method](`${WEBSITES}/${id}`, form ? { form: fields } : { json: fields });
    expect(answer.body.data).toMatchObject({
      exclude_params: null,
      exclude_ips: null,
      favorited_at: null,
      has_password: false,
    });
  });

  it('refuses null where nothing can be cleared', async () => {
    const { id } = await store();
    const answer = await api[method](`${WEBSITES}/${id}`, {
      json: { privacy: null, email: null, exclude_bots: null },
    });
    expect(Object.keys(answer.body.errors).sort()).toEqual(['email', 'exclude_bots', 'privacy']);
  });

  it('does not take the domain', async () => {
    const { id, domain } = await store();
    const answer = await api[method](`${WEBSITES}/${id}`, { form: { domain: 'other.example.com' } });
    expect(answer.status).toBe(422);
    expect(Object.keys(answer.body.errors)).toEqual(['domain']);
    expect((await api.get(`${WEBSITES}/${id}`)).body.data.domain).toBe(domain);
  });
});

describe('the password', () => {
  it('is needed for privacy 2, in the same request or before', async () => {
    const missing = await api.post(WEBSITES, { form: { domain: freshDomain(), privacy: 2 } });
    expect(missing.status).toBe(422);
    expect(Object.keys(missing.body.errors)).toEqual(['password']);

    const { id } = await store();
    const path = `${WEBSITES}/${id}`;
    expect((await api.patch(path, { form: { privacy: 2 } })).status).toBe(422);
    expect((await api.patch(path, { form: { password: 'one' } })).body.data).toMatchObject({
      has_password: true,
      privacy: 1,
    });
    expect((await api.patch(path, { form: { privacy: 2 } })).body.data.privacy).toBe(2);
    expect((await api.patch(path, { form: { password: '' } })).status).toBe(422);
    expect((await api.patch(path, { json: { password: null } })).status).toBe(422);
    expect((await api.patch(path, { form: { privacy: 0, password: '' } })).body.data).toMatchObject({
      has_password: false,
      privacy: 0,
    });
  });

  it('is never cleared while another request asks for privacy 2', async () => {
    for (let round = 0; round < 5; round++) {
      const { id } = await store({ password: 'x' });
      await Promise.all([
        api.patch(`${WEBSITES}/${id}`, { form: { privacy: 2 } }),
        api.patch(`${WEBSITES}/${id}`, { form: { password: '' } }),
      ]);
      const { privacy, has_password } = (await api.get(`${WEBSITES}/${id}`)).body.data;
      expect([privacy, has_password]).not.toEqual([2, false]);
    }
  });

  it('takes 128 characters of any kind', async () => {
    expect(await store({ password: '🔑'.repeat(128) })).toMatchObject({ has_password: true });
  });

  it('is kept as a hash that no two websites share', async () => {
    await store({ password: 'the same secret' });
    await store({ password: 'the same secret' });
    const rows = await service.database.read((manager) =>
      manager.query<{ password_hash: string }[]>(
        'SELECT password_hash FROM websites WHERE password_hash IS NOT NULL',
      ),
    );
    const hashes = rows.map(({ password_hash }) => password_hash);
    expect(new Set(hashes).size).toBe(hashes.length);
    for (const hash of hashes) expect(hash).toMatch(/^scrypt\$32768\$8\$1\$[\w-]+\$[\w-]{43}$/);
  });
});

describe('delete', () => {
  it('confirms once and is a 404 afterwards', async () => {
    const { id, domain } = await store();
    expect((await api.delete(`${WEBSITES}/${id}`)).body).toEqual({
      data: { id, object: 'website', deleted: true },
    });
    expect((await api.get(`${WEBSITES}/${id}`)).status).toBe(404);
    expect((await api.delete(`${WEBSITES}/${id}`)).status).toBe(404);
    expect((await api.post(WEBSITES, { form: { domain } })).status).toBe(201);
  });
});

describe('list', () => {
  let owner: ApiClient;
  beforeAll(async () => {
    owner = await service.anotherUser();
    for (let i = 1; i <= 12; i++)
      await owner.post(WEBSITES, {
        form: {
          domain: `list${String(13 - i).padStart(2, '0')}.example.net`,
          ...(i % 3 === 0 && { favorited_at: '2026-01-01T00:00:00' }),
        },
      });
  });
  const list = async (query = '') => (await owner.get(`${WEBSITES}${query}`)).body;
  const domains = async (query: string): Promise<string[]> =>
    (await list(query)).data.map(({ domain }: { domain: string }) => domain.slice(4, 6));

  it('shows the newest ten, with links', async () => {
    const { data, links, meta } = await list();
    expect(data).toHaveLength(10);
    expect(data[0].domain).toBe('list01.example.net');
    expect(links).toEqual({
      first: `${WEBSITES}?page=1`,
      last: `${WEBSITES}?page=2`,
      prev: null,
      next: `${WEBSITES}?page=2`,
    });
    expect(meta).toEqual({
      current_page: 1,
      from: 1,
      last_page: 2,
      path: WEBSITES,
      per_page: 10,
      to: 10,
      total: 12,
    });
  });

  it('has addresses instead of paths where the service knows its own', async () => {
    const own = await startApp({ BASE_URL: 'https://stats.example.com' });
    const { headers, body } = await own.api.post(WEBSITES, { form: { domain: 'addressed.example' } });
    expect(headers.get('Location')).toBe(`https://stats.example.com${WEBSITES}/${body.data.id}`);
    const { links, meta } = (await own.api.get(`${WEBSITES}?search=addressed`)).body;
    const first = `https://stats.example.com${WEBSITES}?search=addressed&page=1`;
    expect([links.first, links.last, links.prev, meta.path]).toEqual([first, first, null, WEBSITES]);
    await own.stop();
  });

  it('follows its own links, with all parameters kept', async () => {
    const first = await list('?search=LIST&sort=asc&per_page=10');
    const second = (await owner.get(first.links.next)).body;
    expect(second.data.map(({ domain }: { domain: string }) => domain)).toEqual([
      'list02.example.net',
      'list01.example.net',
    ]);
    expect(second.links.prev).toBe(`${WEBSITES}?search=LIST&sort=asc&per_page=10&page=1`);
    expect(second.links.next).toBeNull();
    expect(second.meta).toMatchObject({ current_page: 2, from: 11, to: 12, total: 12 });
  });

  it('sorts by domain and by creation, both ways', async () => {
    expect((await domains('?sort_by=domain&sort=asc')).slice(0, 2)).toEqual(['01', '02']);
    expect((await domains('?sort_by=domain')).slice(0, 2)).toEqual(['12', '11']);
    expect((await domains('?sort_by=id&sort=asc')).slice(0, 2)).toEqual(['12', '11']);
  });

  it('has favorites first where that is asked for, in any order, on all pages and as a file', async () => {
    const favorites = ['01', '04', '07', '10'];
    const others = ['02', '03', '05', '06', '08', '09', '11', '12'];
    expect(await domains('?favorites_first=1')).toEqual([...favorites, ...others].slice(0, 10));
    expect(await domains('?favorites_first=1&page=2')).toEqual(['11', '12']);
    expect((await domains('?favorites_first=1&sort_by=domain')).slice(0, 5)).toEqual([
      ...favorites.toReversed(),
      '12',
    ]);
    const { text } = await owner.get(`${WEBSITES}?favorites_first=1`, { headers: { Accept: 'text/csv' } });
    expect(Array.from(text.matchAll(/list(\d\d)/g), ([, number]) => number)).toEqual([
      ...favorites,
      ...others,
    ]);
  });

  it('finds a domain by a part of it as people read it, and as it is stored', async () => {
    const another = await service.anotherUser();
    for (const domain of ['müller-straße.example', freshDomain()])
      await another.post(WEBSITES, { form: { domain } });
    for (const search of ['MÜLLER', 'ler-straß', 'ße.ex', 'mu\u0308ller', 'xn--']) {
      const { body } = await another.get(`${WEBSITES}?search=${encodeURIComponent(search)}`);
      expect([search, body.meta.total]).toEqual([search, 1]);
    }
    const none = await another.get(`${WEBSITES}?search=${encodeURIComponent('straßen')}`);
    expect(none.body.meta.total).toBe(0);
  });

  it('decodes no more than the newest 1,000 international domains', async () => {
    const another = await service.anotherUser();
    const { id } = (await another.post(WEBSITES, { form: { domain: 'älteste.example' } })).body.data;
    await service.database.write(async (manager) => {
      for (let number = 0; number < 1000; number++)
        await manager.query(
          `INSERT INTO websites (user_id, domain, privacy, email, exclude_bots, created_at, updated_at)
          SELECT user_id, ?, privacy, email, exclude_bots, created_at, updated_at FROM websites WHERE id = ?`,
          [domainToASCII(`größe${number}.example`), id],
        );
    });
    const path = (search: string) => `${WEBSITES}?search=${encodeURIComponent(search)}`;
    expect((await another.get(path('älteste'))).body.meta.total).toBe(0);
    expect((await another.get(path('größe'))).body.meta.total).toBe(1000);
    const { text } = await another.get(path('größe'), { headers: { Accept: 'application/x-ndjson' } });
    expect(text.trim().split('\n')).toHaveLength(1000);
  });

  it.each(['true', '1'])('filters the favorites by %s', async (favorite) => {
    expect((await list(`?favorite=${favorite}`)).meta.total).toBe(4);
  });

  it.each(['false', '0'])('filters the others by %s', async (favorite) => {
    expect((await list(`?favorite=${favorite}`)).meta.total).toBe(8);
  });

  it.each([
    ['list1', 3],
    ['LIST1', 3],
    ['.NET', 12],
    ['', 12],
    ['%', 0],
    ['_', 0],
    ['\\', 0],
    ["'", 0],
    ['"', 0],
    ['list1%', 0],
    ["' OR 1=1 -- ", 0],
    ['\u0000', 0],
  ])('searches %j literally', async (search, total) => {
    expect((await list(`?search_by=domain&search=${encodeURIComponent(search)}`)).meta.total).toBe(total);
  });

  it('has an empty page past the end, however far', async () => {
    for (const page of [3, 9_007_199_254_740_991]) {
      const { data, links, meta } = await list(`?page=${page}`);
      expect(data).toEqual([]);
      expect(meta).toMatchObject({ current_page: page, from: 0, to: 0, total: 12, last_page: 2 });
      expect(links).toMatchObject({ prev: `${WEBSITES}?page=2`, next: null });
    }
  });

  it('refuses a page whose websites have too long options, unless it has ten', async () => {
    const another = await service.anotherUser();
    for (let made = 0; made < 25; made++) await another.post(WEBSITES, { form: { domain: freshDomain() } });
    const made = (await another.get(`${WEBSITES}?per_page=25`)).body.data as { id: number }[];
    await service.database.write((manager) =>
      manager.query(`UPDATE websites SET exclude_params = ? WHERE id BETWEEN ? AND ?`, [
        ...['p'.repeat(700_000), made.at(-1)!.id, made[0]!.id],
      ]),
    );
    expect((await another.get(`${WEBSITES}?per_page=10`)).status).toBe(200);
    const { status, body } = await another.get(`${WEBSITES}?per_page=25`);
    expect([status, body.errors]).toEqual([
      422,
      { per_page: ['must be 10 here: the options of these websites have more than 8 MiB'] },
    ]);
  });

  it('is one empty page where there is nothing', async () => {
    const nobody = await service.anotherUser();
    const { data, links, meta } = (await nobody.get(WEBSITES)).body;
    expect(data).toEqual([]);
    expect(links).toEqual({
      first: `${WEBSITES}?page=1`,
      last: `${WEBSITES}?page=1`,
      prev: null,
      next: null,
    });
    expect(meta).toMatchObject({ current_page: 1, from: 0, to: 0, total: 0, last_page: 1 });
  });

  it.each([
    'per_page=11',
    'per_page=',
    'per_page=010',
    'per_page=1e1',
    'page=0',
    'page=-1',
    'page=01',
    'page=1.0',
    'page=9007199254740993',
    'sort=ASC',
    'sort=up',
    'sort_by=name',
    'sort_by=domain;DROP TABLE websites',
    'search_by=id',
    'favorite=',
    'favorite=yes',
    'favorite=TRUE',
    'limit=5',
    'search=a&search=b',
    `search=${'x'.repeat(1025)}`,
  ])('refuses %s', async (query) => {
    const answer = await owner.get(`${WEBSITES}?${query}`);
    expect(answer.status).toBe(422);
    expect(Object.keys(answer.body.errors)).toEqual([query.split('=')[0]]);
  });
});
