import { Body, Controller, Get, Patch, Query, UseInterceptors } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Access, CallerKey, KeepsToWebsites } from '../auth/bearer.guard';
import type { ApiKey } from '../auth/api-key.entity';
import { EnvelopeInterceptor } from '../http/answers/envelope.interceptor';
import { ApiFields, ApiOne } from '../http/openapi/openapi';
import { ApiProblems } from '../http/openapi/openapi-problems';
import { NoFields } from '../validation/fields';
import { KeyView } from './dto/key.view';
import { MeView, UpdateMe } from './dto/me.dto';
import { UsersService } from './users.service';

@ApiTags('Account')
@Controller('api/v1/me')
@UseInterceptors(EnvelopeInterceptor)
export class MeController {
  constructor(private readonly users: UsersService) {}

  @Get()
  @Access('read')
  @KeepsToWebsites()
  @ApiOperation({
    operationId: 'getMe',
    summary: 'Get the current user',
    description: 'The user of the key in this request, and the permissions of the key.',
  })
  @ApiOne(MeView, { description: 'The user.' })
  @ApiProblems([400, 422, 500, 503])
  async show(@CallerKey() key: ApiKey, @Query() _: NoFields) {
    return MeView.of(await this.users.show(key.userId), KeyView.of(key));
  }

  @Patch()
  @Access('full')
  @ApiOperation({
    operationId: 'updateMe',
    summary: 'Change your email address or the language of your mails',
    description: 'The command line identifies you by this address.',
  })
  @ApiFields(UpdateMe, { email: 'ann@example.com' })
  @ApiOne(MeView, { description: 'The user.' })
  @ApiProblems([400, 408, 413, 415, 422, 500, 503])
  async update(@CallerKey() key: ApiKey, @Query() _: NoFields, @Body() changes: UpdateMe) {
    return MeView.of(await this.users.change(key.userId, changes), KeyView.of(key));
  }
}
