import autocannon from 'autocannon';

const BROWSERS = Array.from(
  { length: 200 },
  (_, index) =>
    `Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${90 + (index % 40)}.0.${index}.0 Safari/537.36`,
);

/** Runs in a process of its own: `load.js ADDRESS SECONDS [EVENTS A SECOND]` prints rate and latencies as JSON. */
async function load(): Promise<void> {
  const [url = '', seconds, most] = process.argv.slice(2);
  const requests = Array.from({ length: 2000 }, (_, index) => ({
    method: 'POST' as const,
    path: '/api/v1/events',
    headers: {
      'Content-Type': 'text/plain',
      'User-Agent': BROWSERS[index % BROWSERS.length]!,
      'X-Forwarded-For': `${20 + (index % 150)}.${index % 250}.7.1`,
    },
    body: JSON.stringify({
      url: `https://bench.example/page/${index}?a=1`,
      referrer: 'https://www.google.com/',
      language: 'de-DE',
      screen: '1920x1080',
    }),
  }));
  const result = await autocannon({
    url,
    connections: 64,
    duration: Number(seconds),
    requests,
    ...(most && { overallRate: Number(most) }),
  });
  const { latency, non2xx, errors } = result;
  const accepted = result['2xx'];
  process.stdout.write(
    JSON.stringify({
      accepted,
      rate: accepted / result.duration,
      p50: latency.p50,
      p99: latency.p99,
      failed: non2xx + errors,
    }),
  );
}

void load();
