import { Module } from '@nestjs/common';
import { MailTurns } from './mail-turns';

@Module({ providers: [MailTurns], exports: [MailTurns] })
export class MailModule {}
