import * as sdk from './hey-api/index.js';

const path = { id: 1 };
const query = { from: '2026-01-01', to: '2026-01-31' };

export async function callsEveryOperation(): Promise<void> {
  const list = await sdk.listWebsites();
  const created = await sdk.createWebsite({ body: { domain: 'example.com' } });
  console.log(list.data?.data.length, created.data?.data.id, created.error?.code === 'invalid_fields');
  await sdk.getWebsite({ path });
  await sdk.updateWebsite({ path, body: { exclude_bots: false, exclude_ips: ['203.0.113.7'] } });
  await sdk.putWebsite({ path, body: { privacy: 1 } });
  await sdk.deleteWebsite({ path });
  const stats = await sdk.getStats({ path: { website_id: 1 }, query: { name: 'page', ...query } });
  const summary = await sdk.getStatsSummary({
    path: { website_id: 1 },
    query: { names: 'visitor,page', ...query },
  });
  console.log(stats.data?.meta.total, summary.data?.data[0]?.entries[0]?.count);
  await sdk.queryStats({
    path: { website_id: 1 },
    body: { metrics: ['visitors', 'bounce_rate'], dimensions: ['country'], range: '30d' },
  });
  await sdk.sendEvent({ body: { url: 'https://example.com/' } });
  await sdk.sendEvents({ path, body: { events: [] } });
  await sdk.getTracker();
  await sdk.getLiveness();
  await sdk.getReadiness();
}
