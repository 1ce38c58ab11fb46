import type { Schemas } from './operations.ts';

/** What is posted to a webhook of the format `milepost`. */
export type WebhookPayload =
  | Schemas['GoalReachedDelivery']
  | Schemas['ReportDelivery']
  | Schemas['AlertDelivery']
  | Schemas['TestDelivery'];

/** The headers of a request, from `fetch` or from Node.js. */
type SentHeaders = Headers | Record<string, string | string[] | undefined>;

/** The request does not come from Milepost, is too old, or was changed on its way. */
export class NotVerified extends Error {
  override name = 'NotVerified';
}

/**
 * Returns what a request to a webhook says, if it is signed with the webhook's secret. Throws NotVerified otherwise. The
 * body must be the text as it came.
 */
export async function verifyWebhook(
  secret: string,
  headers: SentHeaders,
  body: string,
  { maxAgeSeconds = 300 } = {},
): Promise<WebhookPayload> {
  const [, seconds, hex] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(signatureIn(headers)) ?? [];
  if (!seconds || !hex) throw new NotVerified('There is no signature.');
  if (!(Math.abs(Date.now() / 1000 - Number(seconds)) <= maxAgeSeconds))
    throw new NotVerified('The signature is too old.');
  const text = new TextEncoder();
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', text.encode(secret), algorithm, false, ['verify']);
  const signature = Uint8Array.from(hex.match(/../g)!, (pair) => parseInt(pair, 16));
  if (!(await crypto.subtle.verify('HMAC', key, signature, text.encode(`${seconds}.${body}`))))
    throw new NotVerified('The signature does not match.');
  return JSON.parse(body) as WebhookPayload;
}

function signatureIn(headers: SentHeaders): string {
  if (headers instanceof Headers) return headers.get('milepost-signature') ?? '';
  const found = Object.entries(headers).find(([name]) => name.toLowerCase() === 'milepost-signature');
  return String(found?.[1] ?? '');
}
