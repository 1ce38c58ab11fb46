const now = performance.now.bind(performance);
let passedMs = 0;

/** Pauses and terms of this process are over so much sooner; its timers go on as they did. */
export function passTime(milliseconds: number): void {
  passedMs += milliseconds;
  jest.spyOn(performance, 'now').mockImplementation(() => now() + passedMs);
}
