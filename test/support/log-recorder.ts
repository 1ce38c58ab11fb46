import type { LoggerService } from '@nestjs/common';

/** A logger that adds each line to a list, as text. */
export function recorder(logs: string[]): LoggerService {
  const record = (...parts: unknown[]) => void logs.push(JSON.stringify(parts));
  return { log: record, error: record, warn: record };
}
