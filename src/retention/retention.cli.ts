import { type Commands, using } from '../common/commands/command';
import { RetentionClock } from '../../engine/database/retention-clock';

export const retentionCommands: Commands = (retention, run) => {
  retention
    .command('confirm')
    .description(
      "Confirm that the database's clock is right, so that expired statistics and hits are removed again",
    )
    .action(() => using(run, RetentionClock, confirm));
};

async function confirm(clock: RetentionClock): Promise<void> {
  const now = await clock.confirm();
  process.stdout.write(`Retention continues as of ${new Date(now).toISOString()}.\n`);
}
