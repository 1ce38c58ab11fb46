import { Module } from '@nestjs/common';
import { RecipientLinks } from './recipient-links';

@Module({ providers: [RecipientLinks], exports: [RecipientLinks] })
export class RecipientsModule {}
