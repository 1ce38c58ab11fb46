import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import { collectDefaultMetrics, type Metric, Registry } from 'prom-client';
import { Gauge, type Measured } from '../../engine/ground/measures';

const PREFIX = 'milepost_';
/** The package counts the pause between two looks at the event loop as delay. */
const NOT_FROM_PACKAGE = /^nodejs_eventloop_lag/;
const BETWEEN_LOOKS_MS = 20;

const DELAY = new Gauge(
  'event_loop_delay_seconds',
  'How late the event loop was since the last look at the measures.',
  ['statistic'],
);

export const METRICS_TYPE = Registry.PROMETHEUS_CONTENT_TYPE;

interface Value {
  metricName?: string;
  labels: Record<string, string | number>;
  value: number;
}

let ofProcess: Registry | undefined;
let delay: IntervalHistogram | undefined;

/** What Node.js says of the process. It is measured from the first call on. */
function processMetrics(): Registry {
  if (ofProcess) return ofProcess;
  ofProcess = new Registry();
  collectDefaultMetrics({ register: ofProcess, eventLoopMonitoringPrecision: 1000 });
  for (const { name } of ofProcess.getMetricsAsArray())
    if (NOT_FROM_PACKAGE.test(name)) ofProcess.removeSingleMetric(name);
  return ofProcess;
}

/** Measures the delay since the last look, from the first look on. */
export function lookAtEventLoop(): void {
  if (!delay) {
    delay = monitorEventLoopDelay({ resolution: BETWEEN_LOOKS_MS });
    delay.enable();
  }
  if (delay.count === 0) return;
  const values = { mean: delay.mean, p99: delay.percentile(99), max: delay.max };
  for (const [of, nanoseconds] of Object.entries(values))
    DELAY.set(Math.max(0, nanoseconds / 1e9 - BETWEEN_LOOKS_MS / 1000), of);
  delay.reset();
}

/** Measures as text for Prometheus, with those of the process. */
export async function processText(measured: readonly Measured[]): Promise<string> {
  return `${await metricsText(measured)}${await processMetrics().metrics()}`;
}

/** Measures as text for Prometheus. */
export function metricsText(measured: readonly Measured[]): Promise<string> {
  const registry = new Registry();
  for (const measure of measured) registry.registerMetric(metricOf(measure));
  return registry.metrics();
}

/** What a registry needs of a metric. The classes of prom-client count themselves, and in one thread. */
function metricOf(measured: Measured): Metric {
  const name = PREFIX + measured.name;
  const { help, kind: type } = measured;
  const values = type === 'histogram' ? bucketsOf(name, measured) : valuesOf(measured);
  return {
    name,
    get: () => Promise.resolve({ name, help, type, values, aggregator: 'sum' }),
  } as unknown as Metric;
}

function valuesOf(measured: Measured): Value[] {
  return measured.series.map(({ labels, values }) => ({
    labels: namedIn(measured, labels),
    value: values[0]!,
  }));
}

/** Each bucket has what those before it have, too. */
function bucketsOf(name: string, measured: Measured): Value[] {
  return measured.series.flatMap(({ labels: of, values }) => {
    const labels = namedIn(measured, of);
    let count = 0;
    const buckets = [...measured.bounds, '+Inf'].map((bound, bucket) => ({
      metricName: `${name}_bucket`,
      labels: { ...labels, le: bound },
      value: (count += values[bucket]!),
    }));
    return [
      ...buckets,
      { metricName: `${name}_sum`, labels, value: values.at(-1)! },
      { metricName: `${name}_count`, labels, value: count },
    ];
  });
}

function namedIn({ labels }: Measured, values: readonly (string | number)[]): Value['labels'] {
  return Object.fromEntries(labels.map((label, at) => [label, values[at]!]));
}
