import { Controller, Delete, Get, HttpCode, Post, Req, Res, UseInterceptors } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Access, CallerKey, KeepsToWebsites } from '../../auth/bearer.guard';
import type { ApiKey } from '../../auth/api-key.entity';
import { excludableRange } from '../../common/address';
import { Settings } from '../../config/settings';
import { EnvelopeInterceptor } from '../../http/answers/envelope.interceptor';
import { ClientAddress } from '../../http/requests/client-address';
import { KeyView } from '../../users/dto/key.view';
import { MeView } from '../../users/dto/me.dto';
import { UsersService } from '../../users/users.service';
import { ConsoleSessions, sessionCookie } from './console-sessions';
import { SignsIn } from '../../http/requests/routes';

/** Signing in to the console, and signing out. */
@ApiExcludeController()
@Controller('console/api/session')
@UseInterceptors(EnvelopeInterceptor)
export class SessionController {
  constructor(
    private readonly sessions: ConsoleSessions,
    private readonly users: UsersService,
    private readonly settings: Settings,
    private readonly addresses: ClientAddress,
  ) {}

  @Get()
  @Access('read')
  @KeepsToWebsites()
  async show(
    @CallerKey() key: ApiKey,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ) {
    response.set('Cache-Control', 'no-store');
    const me = MeView.of(await this.users.show(key.userId), KeyView.of(key));
    return {
      ...me,
      token: this.sessions.tokenFor(request.get('Cookie')),
      address: excludableRange(this.addresses.of(request)),
    };
  }

  @Post()
  @SignsIn(true)
  @HttpCode(204)
  @Access('read')
  @KeepsToWebsites()
  open(
    @CallerKey() key: ApiKey,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): void {
    this.setCookie(request, response, this.sessions.valueFor(key.id));
  }

  @Delete()
  @HttpCode(204)
  @Access('read')
  @KeepsToWebsites()
  async end(@Req() request: Request, @Res({ passthrough: true }) response: Response): Promise<void> {
    await this.sessions.end(request.get('Cookie'));
    this.setCookie(request, response, undefined);
  }

  private setCookie(request: Request, response: Response, session: string | undefined): void {
    response.append('Set-Cookie', sessionCookie(session, this.settings.baseUrl, request.secure));
    response.set('Cache-Control', 'no-store');
  }
}
