import { Controller, Get, Query, UseInterceptors } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Access, CallerId } from '../../auth/bearer.guard';
import { EnvelopeInterceptor } from '../../http/answers/envelope.interceptor';
import { Required } from '../../validation/rules';
import { IsWebsiteDomain } from '../../websites/dto/store-website.dto';
import { WebsitesService } from '../../websites/websites.service';

class CheckDomain {
  @Required()
  @IsWebsiteDomain()
  domain!: string;
}

/** Tells whether a domain could be registered now, and in which form: the preview while it is typed. */
@ApiExcludeController()
@Controller('console/api/domain')
@UseInterceptors(EnvelopeInterceptor)
export class DomainController {
  constructor(private readonly websites: WebsitesService) {}

  @Get()
  @Access('full')
  async check(@CallerId() ownerId: number, @Query() { domain }: CheckDomain): Promise<CheckDomain> {
    await this.websites.checkDomain(ownerId, domain);
    return { domain };
  }
}
