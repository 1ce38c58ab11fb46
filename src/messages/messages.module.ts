import type { Server } from 'node:net';
import { type INestApplication, Module } from '@nestjs/common';
import type { MicroserviceOptions } from '@nestjs/microservices';
import { AuthModule } from '../auth/auth.module';
import { TimeoutError, withTimeout } from '../../engine/ground/time/timeout';
import { SettingError } from '../../engine/ground/setting-error';
import type { Settings } from '../config/settings';
import { IntakeModule } from '../intake/intake.module';
import { WebsitesModule } from '../websites/websites.module';
import { Answering } from './answering';
import { MessagesController } from './messages.controller';
import { transportOf } from './transports';

const MAX_CONNECTIONS = 100;
/** Some transports would retry for ever. */
const LISTEN_WITHIN_MS = 10_000;

@Module({
  imports: [AuthModule, IntakeModule, WebsitesModule],
  controllers: [MessagesController],
  providers: [Answering],
})
export class MessagesModule {}

/** Opens the service to messages. If a broker becomes unavailable later, the service reconnects. */
export async function listenForMessages(
  app: INestApplication,
  { rpcUrls }: Settings,
  withinMs = LISTEN_WITHIN_MS,
): Promise<void> {
  const isEnding = () => app.get(Answering).isEnding;
  for (const address of rpcUrls) {
    const service = app.connectMicroservice<MicroserviceOptions>(transportOf(address, isEnding));
    try {
      await withTimeout(withinMs, service.listen());
    } catch (error) {
      throw new SettingError('RPC_URL', `cannot listen by ${address.kind} (${reasonOf(error, withinMs)})`);
    }
    if (address.kind === 'tcp') service.unwrap<Server>().maxConnections = MAX_CONNECTIONS;
  }
}

function reasonOf(error: unknown, withinMs: number): string {
  if (error instanceof TimeoutError) return `no connection within ${withinMs / 1000} seconds`;
  return (error as Error).message;
}
