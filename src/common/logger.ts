import { ConsoleLogger, Logger, type LogLevel as NestLevel } from '@nestjs/common';
import { LOG_LEVELS, type LogLevel } from '../config/settings';
import { logBy } from '../../engine/ground/log';

const NEST_LEVELS: Record<LogLevel, NestLevel> = {
  error: 'error',
  warn: 'warn',
  info: 'log',
  debug: 'debug',
};
/** Errors at startup, which the entry point reports in one line. */
const SHOWN_ELSEWHERE = new Set(['ExceptionHandler', 'NestApplication']);
const FRAMEWORK = new Set([
  'NestFactory',
  'InstanceLoader',
  'RoutesResolver',
  'RouterExplorer',
  'NestApplication',
]);

/** JSON, one object per line, for machines; readable lines on a terminal. */
export class StructuredLogger extends ConsoleLogger {
  constructor(
    level: LogLevel,
    private readonly stream: 'stdout' | 'stderr',
  ) {
    super({
      json: !process[stream].isTTY,
      prefix: 'Milepost',
      flattenParams: true,
      logLevels: LOG_LEVELS.slice(0, LOG_LEVELS.indexOf(level) + 1).map((known) => NEST_LEVELS[known]),
    });
  }

  protected override printMessages(...parameters: Parameters<ConsoleLogger['printMessages']>): void {
    const [messages, context = '', level, , stack, params] = parameters;
    const chatter = level === 'log' && FRAMEWORK.has(context);
    const isShownElsewhere = level === 'error' && SHOWN_ELSEWHERE.has(context);
    if ((chatter || isShownElsewhere) && !this.isLevelEnabled('debug')) return;
    super.printMessages(messages, context, level, this.stream, stack, params);
  }

  protected override stringifyJsonLogObject({ timestamp, level, ...rest }: Record<string, unknown>): string {
    const time = new Date(timestamp as number).toISOString();
    return super.stringifyJsonLogObject({ time, level: level === 'log' ? 'info' : level, ...rest });
  }
}

/** Messages of code that knows no Nest go to the logger of the application. */
export function logByNest(): void {
  logBy((level, context, message, ...details) => new Logger(context)[level](message, ...details));
}
