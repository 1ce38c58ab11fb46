import { Jobs } from '../engine/database/jobs';
import { type Commands, parsedArgument, printTable, using } from './common/commands/command';
import { wholeNumber } from './validation/parsers';

const aNumber = (text: string) => parsedArgument(() => wholeNumber(text));

export const jobsCommand: Commands = (command, run) => {
  command
    .option('--limit <number>', 'how many of each kind', aNumber, 50)
    .action(({ limit }: { limit: number }) => using(run, Jobs, (jobs) => show(jobs, limit)));
};

async function show(jobs: Jobs, limit: number): Promise<void> {
  const waiting = await jobs.list(limit);
  printTable(
    ['KIND', 'WEBSITE', 'DUE', 'FAILED', 'REASON'],
    waiting.map(({ kind, website_id, due_at, tries, reason }) =>
      [kind, website_id ?? '', new Date(Number(due_at)).toISOString(), tries, reason ?? ''].map(String),
    ),
  );
}
