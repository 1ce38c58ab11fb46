import createClient from 'openapi-fetch';
import type { paths } from './schema.js';

const api = createClient<paths, 'application/json' | 'application/problem+json'>({
  baseUrl: 'http://127.0.0.1:3000',
});
const website = { path: { id: 1 } };
const range = { from: '2026-01-01', to: '2026-01-31' };

export async function callsEveryOperation(): Promise<void> {
  const list = await api.GET('/api/v1/websites', { params: { query: { favorite: true, per_page: 25 } } });
  const domains: string[] | undefined = list.data?.data.map(({ domain }) => domain);
  const created = await api.POST('/api/v1/websites', { body: { domain: 'example.com' } });
  const id: number | undefined = created.data?.data.id;
  if (created.error?.code === 'invalid_fields') console.log(created.error.errors?.domain, domains, id);
  const shown = await api.GET('/api/v1/websites/{id}', { params: website });
  const favoritedAt: string | null | undefined = shown.data?.data.favorited_at;
  console.log(favoritedAt);
  await api.PATCH('/api/v1/websites/{id}', {
    params: website,
    body: { exclude_bots: false, exclude_ips: ['203.0.113.7'], favorited_at: null },
  });
  await api.PUT('/api/v1/websites/{id}', { params: website, body: { privacy: 1 } });
  await api.DELETE('/api/v1/websites/{id}', { params: website });

  const stats = await api.GET('/api/v1/stats/{website_id}', {
    params: { path: { website_id: 1 }, query: { name: 'page', ...range } },
  });
  const counts: number[] | undefined = stats.data?.data.map(({ count }) => count);
  const summary = await api.GET('/api/v1/stats/{website_id}/summary', {
    params: { path: { website_id: 1 }, query: { names: 'visitor,page', ...range } },
  });
  console.log(counts, summary.data?.data[0]?.entries[0]?.label, summary.data?.meta.as_of);
  const answer = await api.POST('/api/v1/stats/{website_id}/query', {
    params: { path: { website_id: 1 } },
    body: { metrics: ['visitors', 'bounce_rate'], dimensions: ['country'], range: '30d' },
  });
  console.log(answer.data?.data.length);

  await api.POST('/api/v1/events', { body: { url: 'https://example.com/' } });
  const sent = await api.POST('/api/v1/websites/{id}/events', {
    params: website,
    body: {
      events: [
        {
          url: 'https://example.com/',
          id: '5d3c1a52-8a59-4a3e-9a44-0a3a4f4c2f10',
          ip: '203.0.113.7',
          user_agent: 'Mozilla/5.0',
        },
      ],
    },
  });
  console.log(sent.data?.data.map(({ status }) => status === 'accepted'));
  await api.GET('/tracker.js', { parseAs: 'text' });
  await api.GET('/health/live');
  const ready = await api.GET('/health/ready');
  console.log(ready.data?.warnings?.[0]?.detail);
}
