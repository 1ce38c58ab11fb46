import { type BeforeApplicationShutdown, Global, Module } from '@nestjs/common';
import { ColumnStore } from '../../engine/columns/column-store';
import { ReadMemory } from '../../engine/ground/memory/read-memory';
import { Database } from '../../engine/database/database';
import { RetentionClock } from '../../engine/database/retention-clock';
import { HitStore } from '../../engine/port';
import { Settings } from '../config/settings';

/** Makes the store of hits from the settings. Nothing else knows which one it is. */
@Global()
@Module({
  providers: [
    {
      provide: HitStore,
      inject: [Database, Settings, RetentionClock, ReadMemory],
      useFactory: (database: Database, settings: Settings, clock: RetentionClock, memory: ReadMemory) =>
        new ColumnStore(database, settings, clock, memory),
    },
  ],
  exports: [HitStore],
})
export class HitsModule implements BeforeApplicationShutdown {
  constructor(private readonly store: HitStore) {}

  beforeApplicationShutdown(): Promise<void> {
    return this.store.stop();
  }
}
