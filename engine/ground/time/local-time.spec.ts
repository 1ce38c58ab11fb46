import { LocalTime } from './local-time';

const at = (text: string) => Date.parse(text) / 1000;

it.each([
  ['UTC', '2026-07-01T00:00Z', 0],
  ['Europe/Berlin', '2026-03-29T00:59:59Z', 3600],
  ['Europe/Berlin', '2026-03-29T01:00Z', 7200],
  ['Europe/Berlin', '2026-10-25T00:59:59Z', 7200],
  ['Europe/Berlin', '2026-10-25T01:00Z', 3600],
  ['America/St_Johns', '2026-01-01T12:00Z', -12_600],
  ['Australia/Lord_Howe', '2026-04-04T14:59:59Z', 39_600],
  ['Australia/Lord_Howe', '2026-04-04T15:00Z', 37_800],
  ['Pacific/Kiritimati', '2026-01-01T00:00Z', 50_400],
])('knows how far %s is ahead at %s', (timezone, moment, offset) => {
  const time = new LocalTime(timezone);
  for (let requested = 0; requested < 2; requested++) expect(time.offsetAt(at(moment))).toBe(offset);
});
