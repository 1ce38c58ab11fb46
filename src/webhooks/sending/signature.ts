import { createHmac } from 'node:crypto';

const STANDARD = /^whsec_([A-Za-z0-9+/]+=*)$/;

/** The header Milepost-Signature. The moment is signed too, so that a receiver can refuse old deliveries. */
export function signatureOf(secret: string, body: string, now: number): string {
  const seconds = Math.floor(now / 1000);
  const signed = createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex');
  return `t=${seconds},v1=${signed}`;
}

/** The headers of Standard Webhooks. None with an older secret, whose text is not that of a key there. */
export function standardHeaders(
  secret: string,
  { id, body }: { id: string; body: string },
  now: number,
): Record<string, string> {
  const [, key] = STANDARD.exec(secret) ?? [];
  if (key === undefined || key.length % 4 !== 0) return {};
  const seconds = String(Math.floor(now / 1000));
  const signed = createHmac('sha256', Buffer.from(key, 'base64'))
    .update(`${id}.${seconds}.${body}`)
    .digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': seconds, 'webhook-signature': `v1,${signed}` };
}
