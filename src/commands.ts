import type { ModuleMetadata } from '@nestjs/common';
import type { Commands } from './common/commands/command';

type Modules = NonNullable<ModuleMetadata['imports']>;

interface CommandGroup {
  description: string;
  commands: () => Promise<Commands>;
  /** The modules besides settings and database. */
  modules: () => Promise<Modules>;
  /** Other commands would answer a mistyped path with an empty database. */
  createsDatabase?: true;
}

/** Imported on demand, because loading everything takes longer than most commands. */
export const COMMANDS: Record<string, CommandGroup> = {
  user: {
    description: 'Manage users',
    commands: async () => (await import('./users/users.cli.js')).userCommands,
    modules: websites,
  },
  key: {
    description: 'Manage API keys',
    commands: async () => (await import('./users/keys.cli.js')).keyCommands,
    modules: websites,
  },
  stats: {
    description: 'Check and rebuild statistics',
    commands: async () => (await import('./stats/stats.cli.js')).statsCommands,
    modules: verifying,
  },
  hits: {
    description: 'Move the hits of old days, and check them',
    commands: async () => (await import('./stats/stats.cli.js')).hitsCommands,
    modules: verifying,
  },
  report: {
    description: 'Preview and send email reports, and list their deliveries',
    commands: async () => (await import('./reports/reports.cli.js')).reportCommands,
    modules: async () => [...(await websites()), (await import('./reports/reports.module.js')).ReportsModule],
  },
  demo: {
    description: 'Generate demo traffic for a website of the first user',
    commands: async () => (await import('./demo/demo.cli.js')).demoCommand,
    modules: async () => [...(await websites()), (await import('./demo/demo.module.js')).DemoModule],
  },
  jobs: {
    description: 'List mails, deliveries, alerts and conversions that are due or failed, and why',
    commands: async () => (await import('./jobs.cli.js')).jobsCommand,
    modules: withJobs,
  },
  backup: {
    description: 'Write a backup of the database while the service runs, or check one',
    commands: async () => (await import('./backup.cli.js')).backupCommand,
    modules: verifying,
  },
  restore: {
    description: 'Fill an empty database from a backup, while the service is stopped',
    commands: async () => (await import('./backup.cli.js')).restoreCommand,
    modules: () => Promise.resolve([]),
  },
  move: {
    description: 'Copy a stopped installation from SQLite to MySQL or MariaDB, and compare the two',
    commands: async () => (await import('./backup.cli.js')).moveCommand,
    modules: () => Promise.resolve([]),
  },
  doctor: {
    description: 'Say in one screen what is configured, reachable, waiting, large and wrong',
    commands: async () => (await import('./doctor.cli.js')).doctorCommand,
    modules: async () => [...(await withJobs()), (await import('./health/health.module.js')).HealthModule],
  },
  retention: {
    description: 'Manage the removal of expired data',
    commands: async () => (await import('./retention/retention.cli.js')).retentionCommands,
    modules: retention,
  },
  migrate: {
    description: 'Bring the tables of the database up to date, as the service does when it starts',
    commands: async () => (await import('./database/migrate.cli.js')).migrateCommand,
    modules: () => Promise.resolve([]),
    createsDatabase: true,
  },
};

async function verifying(): Promise<Modules> {
  return [...(await websites()), (await import('./stats/stats.module.js')).StatsModule];
}

async function withJobs(): Promise<Modules> {
  return [
    ...(await websites()),
    (await import('./alerts/alerts.module.js')).AlertsModule,
    (await import('./reports/reports.module.js')).ReportsModule,
  ];
}

async function websites(): Promise<Modules> {
  const { HitsModule } = await import('./hits/hits.module.js');
  const { LimitsModule } = await import('./limits/limits.module.js');
  const { UsersModule } = await import('./users/users.module.js');
  const { WebsitesModule } = await import('./websites/websites.module.js');
  return [...(await retention()), HitsModule, LimitsModule, UsersModule, WebsitesModule];
}

async function retention(): Promise<Modules> {
  const { RetentionModule } = await import('./retention/retention.module.js');
  const { RETENTION_RULES } = await import('./retention-rules.js');
  return [RetentionModule.for(RETENTION_RULES)];
}
