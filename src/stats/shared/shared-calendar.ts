import { Injectable } from '@nestjs/common';
import { DayClock } from '../../../engine/ground/time/day-clock';
import { Settings } from '../../config/settings';
import { RetentionClock } from '../../../engine/database/retention-clock';

/** The days that are over, by the database's clock. */
@Injectable()
export class SharedCalendar {
  private readonly days: DayClock;

  constructor(
    private readonly clock: RetentionClock,
    { timezone }: Settings,
  ) {
    this.days = new DayClock(timezone);
  }

  async now(): Promise<{ today: number; startOfToday: number; statsFrom: number }> {
    const { today, statsFrom } = await this.clock.calendar();
    return { today, statsFrom, startOfToday: this.days.endOf(today - 1) };
  }
}
