import { createHmac } from 'node:crypto';

/** The header Milepost-Signature. The moment is signed too, so that a receiver can refuse old deliveries. */
export function signatureOf(secret: string, body: string, now: number): string {
  const seconds = Math.floor(now / 1000);
  const signed = createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex');
  return `t=${seconds},v1=${signed}`;
}
