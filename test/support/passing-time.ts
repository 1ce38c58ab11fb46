const now = performance.now.bind(performance);
let passedMs = 0;

/** Shortens pauses and deadlines of this process by this time; its timers are unaffected. */
export function passTime(milliseconds: number): void {
  passedMs += milliseconds;
  jest.spyOn(performance, 'now').mockImplementation(() => now() + passedMs);
}
