const DAY_MS = 86_400_000;

/** How long a new key works: for ever, for days, or until a day. */
export const LIFETIMES = ['never', '30', '90', '365', 'day'] as const;

/** The fields of a new key, as the API takes them. */
export function wishIn(form: FormData, now: Date): object {
  const text = (name: string) => ((form.get(name) as string | null) ?? '').trim();
  const end = endOf(text('lifetime'), text('expires_at'), now);
  return {
    ...(text('name') && { name: text('name') }),
    scope: text('scope'),
    ...(form.has('limited') && { websites: form.getAll('website').map(Number) }),
    ...(end !== undefined && { expires_at: end }),
  };
}

/** In UTC and to the second. Undefined for ever. */
function endOf(lifetime: string, day: string, now: Date): string | undefined {
  if (lifetime === 'day') return `${day}T00:00:00`;
  const days = Number(lifetime);
  return Number.isNaN(days) ? undefined : new Date(now.getTime() + days * DAY_MS).toISOString().slice(0, 19);
}
