export type LogMethod = 'log' | 'warn' | 'error';
export type WriteLog = (level: LogMethod, context: string, message: string, ...details: object[]) => void;

let write: WriteLog = () => undefined;

/** Decides where the messages of this process or thread go. Nobody reads them before. */
export function logBy(writer: WriteLog): void {
  write = writer;
}

/** Messages for operators about one part of the service. */
export class Log {
  constructor(private readonly context: string) {}

  log(message: string, ...details: object[]): void {
    write('log', this.context, message, ...details);
  }

  warn(message: string, ...details: object[]): void {
    write('warn', this.context, message, ...details);
  }

  error(message: string, ...details: object[]): void {
    write('error', this.context, message, ...details);
  }
}
