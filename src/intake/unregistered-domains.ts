import { Logger } from '@nestjs/common';

const WINDOW_MS = 60_000;
/** Anybody can send events for any domain, so the log must be bounded. */
const MAX_NAMED = 20;

/** Logs the domains of events for unregistered websites, each once a minute. */
export class UnregisteredDomains {
  private readonly named = new Set<string>();
  private others = 0;

  constructor(private readonly logger = new Logger('Events')) {}

  add(domain: string): void {
    if (this.named.has(domain)) return;
    if (this.named.size === MAX_NAMED) {
      this.others++;
      return;
    }
    if (this.named.size === 0) setTimeout(() => this.startAgain(), WINDOW_MS).unref();
    this.named.add(domain);
    this.logger.warn(`Events for ${domain} are refused, because no website is registered for it`);
  }

  private startAgain(): void {
    if (this.others > 0) this.logger.warn(`${this.others} more events for unregistered domains were refused`);
    this.named.clear();
    this.others = 0;
  }
}
