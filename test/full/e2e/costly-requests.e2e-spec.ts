import { ApiKeysService } from '../../../src/auth/api-keys.service';
import { startApp, type TestApp } from '../../support/test-app';

const WEBSITES = '/api/v1/websites';

let service: TestApp;
let id: number;
beforeAll(async () => {
  service = await startApp();
  id = (await service.api.post(WEBSITES, { form: { domain: 'example.com' } })).body.data.id;
});
afterAll(() => service.stop());

async function sendEvent(): Promise<number> {
  const response = await fetch(`${service.address}/api/v1/events`, {
    method: 'POST',
    body: JSON.stringify({ url: 'https://example.com/' }),
  });
  return response.status;
}

describe('300 changes of a password at once', () => {
  it('are made or refused, while every event is accepted', async () => {
    const wish = { name: 'another', scope: 'full', expiresAt: null } as const;
    const keys = [service.api, service.api.as(await service.app.get(ApiKeysService).create(1, wish))];
    let changing = true;
    const changes = Promise.all(
      Array.from({ length: 300 }, (_, i) =>
        keys[i % 2]!.patch(`${WEBSITES}/${id}`, { form: { password: `password ${i}` } }),
      ),
    ).finally(() => (changing = false));
    const events: number[] = [];
    while (changing) events.push(await sendEvent());
    const answers = await changes;
    // On a busy machine, a few wait too long for their key, before the queue.
    const queued = answers.filter(({ body }) => body.code !== 'database_unavailable');
    expect(new Set(queued.map(({ status }) => status))).toEqual(new Set([200, 429]));
    const refused = answers.find(({ status }) => status === 429)!;
    expect(refused.body.code).toBe('too_many_requests');
    expect(refused.headers.get('Retry-After')).toMatch(/^[1-9]\d*$/);
    // Two keys of a user have no more places than one, and leave some to others.
    expect(answers.map(({ body }) => body.code as string)).not.toContain('overloaded');
    expect(new Set(events)).toEqual(new Set([202]));
    expect((await service.api.patch(`${WEBSITES}/${id}`, { form: { password: 'x' } })).status).toBe(200);
  });

  it('are hashed for none whose change cannot be made', async () => {
    const form = { domain: 'example.com', password: 'x' };
    const stale = { form: { password: 'x' }, headers: { 'If-Match': '"another"' } };
    const answers = await Promise.all([
      ...Array.from({ length: 20 }, () => service.api.post(WEBSITES, { form })),
      ...Array.from({ length: 20 }, () => service.api.patch(`${WEBSITES}/${id}`, stale)),
      ...Array.from({ length: 20 }, () => service.api.patch(`${WEBSITES}/999`, { form: { password: 'x' } })),
    ]);
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 422)).toHaveLength(20);
    expect(statuses.filter((status) => status === 412)).toHaveLength(20);
    expect(statuses.filter((status) => status === 404)).toHaveLength(20);
  });
});
