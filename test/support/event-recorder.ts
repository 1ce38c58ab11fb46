import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { until } from './until';
import { serve, type WebServer } from './web-server';

const SCRIPTS = new Map(
  ['tracker.js', 'tracker-events.js'].map((name) => [
    name,
    readFileSync(join(__dirname, '../../dist', name)),
  ]),
);

export interface Sent {
  url: string;
  domain?: string;
  referrer?: string;
  language?: string;
  screen?: string;
  event?: { name: string; props?: Record<string, unknown>; passive?: boolean };
  id?: string;
}

interface EventAnswer {
  status: number;
  headers: Record<string, string>;
}

const CORS = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': 'Milepost-Dropped, X-Request-Id',
};

export interface EventRecorder extends WebServer {
  /** The scripts that were requested, by path. */
  scripts: string[];
  /** Every request except those for the script, for example `POST /api/v1/events text/plain`. */
  requests: string[];
  /** The answers to the next events; 202 by default. */
  answers: EventAnswer[];
  /** The events since the last call; waits for this number. */
  received(count: number): Promise<Sent[]>;
}

/** Serves the tracker like the service, and records the events that it sends. */
export async function recordEvents(): Promise<EventRecorder> {
  const scripts: string[] = [];
  const requests: string[] = [];
  const events: Sent[] = [];
  const answers: EventAnswer[] = [];
  const server = await serve((request, response) => {
    const script = SCRIPTS.get(/([^/?]*)(\?|$)/.exec(request.url!)![1]!);
    if (script) {
      scripts.push(request.url!);
      response.setHeader('Content-Type', 'text/javascript; charset=utf-8');
      response.setHeader('Access-Control-Allow-Origin', '*');
      return response.end(script);
    }
    requests.push(`${request.method} ${request.url} ${request.headers['content-type']}`);
    void text(request).then((body) => {
      events.push(JSON.parse(body) as Sent);
      const { status, headers } = answers.shift() ?? { status: 202, headers: {} };
      response.writeHead(status, { ...CORS, ...headers }).end();
    });
  });
  return {
    ...server,
    scripts,
    requests,
    answers,
    received: async (count) => {
      await until(() => events.length >= count);
      return events.splice(0);
    },
  };
}
