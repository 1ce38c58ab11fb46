export const DAY_MS = 86_400_000;

export function dayText(days: number): string {
  return new Date(days * DAY_MS).toISOString().slice(0, 10);
}
