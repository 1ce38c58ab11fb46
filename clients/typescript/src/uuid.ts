/**
 * Version 7 of a UUID begins with the time, so that databases store new ids side by side. It is rounded to four seconds,
 * because the exact time could distinguish clocks. `crypto.randomUUID` has no time, and is missing without TLS.
 */
export function uuid(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const now = Date.now();
  new DataView(bytes.buffer).setUint32(0, now / 2 ** 16);
  bytes[4] = ((now >> 8) & 0xf0) | (bytes[4]! & 0x0f);
  bytes[6] = (bytes[6]! & 0x0f) | 0x70;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const digits = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return digits.replace(/(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
