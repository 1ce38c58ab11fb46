import { day } from './parsed';
import { DayClock } from './day-clock';

const at = (text: string) => Date.parse(text);

it.each([
  ['UTC', '2026-01-01T23:59:59.999Z', '2026-01-01'],
  ['UTC', '2026-01-02T00:00:00Z', '2026-01-02'],
  ['Europe/Berlin', '2026-01-01T22:59:59Z', '2026-01-01'],
  ['Europe/Berlin', '2026-01-01T23:00:00Z', '2026-01-02'],
  ['Europe/Berlin', '2026-07-01T22:00:00Z', '2026-07-02'],
  ['Asia/Kathmandu', '2026-01-01T18:14:59Z', '2026-01-01'],
  ['Asia/Kathmandu', '2026-01-01T18:15:00Z', '2026-01-02'],
  ['Pacific/Kiritimati', '2026-01-01T10:00:00Z', '2026-01-02'],
  ['America/Los_Angeles', '2026-01-01T07:59:59Z', '2025-12-31'],
])('in %s %s is of %s', (timezone, moment, text) => {
  expect(new DayClock(timezone).dayOf(at(moment))).toBe(day(text));
});

it.each([
  ['UTC', '2026-01-01', '2026-01-02T00:00:00Z'],
  ['Europe/Berlin', '2026-03-29', '2026-03-29T22:00:00Z'],
  ['Europe/Berlin', '2026-10-25', '2026-10-25T23:00:00Z'],
  ['Pacific/Kiritimati', '2026-01-01', '2026-01-01T10:00:00Z'],
  ['Etc/GMT+12', '2026-01-01', '2026-01-02T12:00:00Z'],
  // Samoa had no 30th.
  ['Pacific/Apia', '2011-12-29', '2011-12-30T10:00:00Z'],
])('in %s %s ends at %s', (timezone, text, end) => {
  const clock = new DayClock(timezone);
  expect(clock.endOf(day(text))).toBe(at(end));
  expect(clock.dayOf(at(end) - 1)).toBe(day(text));
});

it.each(['th-TH-u-ca-buddhist', 'ar-EG', 'fa-IR', 'ja-JP-u-ca-japanese', 'de-DE'])(
  'is not led astray by the locale %s of the system',
  (locale) => {
    const { DateTimeFormat } = Intl;
    const withLocale = jest
      .spyOn(Intl, 'DateTimeFormat')
      .mockImplementation(
        ((_: string, options: Intl.DateTimeFormatOptions) =>
          new DateTimeFormat(locale, options)) as typeof DateTimeFormat,
      );
    const clock = new DayClock('Asia/Kathmandu');
    withLocale.mockRestore();
    expect(clock.dayOf(at('2026-01-01T18:15:00Z'))).toBe(day('2026-01-02'));
  },
);
