import { Body, Controller, Get, Param, Post, Req, Res, UseFilters } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { shownDomain } from '../../../engine/ground/shown-domain';
import { Problem } from '../../../engine/ground/errors';
import { CrossSite, statusOf } from '../../common/problems';
import { Settings } from '../../config/settings';
import { sourceOfPlaces } from '../../derive/geography/geography';
import { letTakeLonger } from '../../http/connections/answer-in-time';
import { isCrossSite, signalOf } from '../../http/requests/requests';
import { ClientAddress } from '../../http/requests/client-address';
import { type Words, wordsFor } from '../../http/words/words';
import { RateLimited } from '../../limits/rate-limit';
import { isLimited } from '../../stats/viewers/viewer';
import type { Website } from '../../websites/website.entity';
import { BuiltPages } from '../built-pages';
import { ConsoleSessions } from '../console/console-sessions';
import { passwordPage, scriptedPage, sendPage } from '../page';
import { PageProblemFilter, rootOf } from '../page-problem.filter';
import { type PasswordAttempt, ShareAccess } from './share-access';
import { SHARE_COOKIE_MS, ShareCookies } from './share-cookies';
import { SharedAnnotations } from './shared-annotations';
import { ReadsBody } from '../../http/requests/routes';

/** The statistics of one website as a page, for the viewers that its `privacy` allows. */
@ApiExcludeController()
@Controller('share/:domain')
@UseFilters(PageProblemFilter)
export class ShareController {
  constructor(
    private readonly access: ShareAccess,
    private readonly cookies: ShareCookies,
    private readonly sessions: ConsoleSessions,
    private readonly pages: BuiltPages,
    private readonly addresses: ClientAddress,
    private readonly annotations: SharedAnnotations,
    private readonly settings: Settings,
  ) {}

  @Get()
  async show(@Param('domain') domain: string, @Req() request: Request, @Res() response: Response) {
    const key = await this.sessions.keyIn(request.get('Cookie'));
    const website = await this.access.website(domain, key);
    if (request.path !== pathOf(website)) return response.redirect(302, this.wayTo(website, request));
    const viewer = this.access.viewerOf(website, request.get('Cookie'), key);
    if (!viewer) return this.askPassword(request, response, website);
    const hasAnnotations = await this.annotations.areThere(viewer, website.id);
    const mayFrame = viewer.as === 'public' && 'embed' in request.query;
    if (mayFrame) response.removeHeader('X-Frame-Options');
    const html = scriptedPage(this.shellFor(request, website), {
      'data-domain': website.domain,
      'data-timezone': this.settings.timezone,
      'data-owner': viewer.as === 'owner' ? '' : undefined,
      'data-filters': isLimited(viewer) ? undefined : '',
      'data-annotations': hasAnnotations ? '' : undefined,
      'data-embed': mayFrame ? '' : undefined,
      'data-geography': sourceOfPlaces(this.settings.geoDb),
    });
    sendPage(response, html, mayFrame ? '*' : "'none'");
  }

  @Post()
  @ReadsBody('password')
  async enter(
    @Param('domain') domain: string,
    @Body() body: unknown,
    @Req() request: Request,
    @Res() response: Response,
  ) {
    if (isCrossSite(request)) throw new CrossSite();
    const website = await this.access.website(domain);
    if (this.access.viewerOf(website, request.get('Cookie'))) return this.goOn(request, response, website);
    const password = passwordIn(body);
    if (password === undefined)
      return this.askPassword(request, response, website, 422, ({ empty }) => empty);
    letTakeLonger(response);
    const visitor = { address: this.addresses.of(request), signal: signalOf(response) };
    try {
      const attempt = await this.access.enter(website, password, visitor);
      this.answer(attempt, request, response, website);
    } catch (error) {
      if (!(error instanceof Problem) || error.retryAfterSeconds === undefined) throw error;
      response.set('Retry-After', String(error.retryAfterSeconds));
      this.askPassword(request, response, website, statusOf(error), complaintOf(error));
    }
  }

  private answer(
    { cookie, rateLimit }: PasswordAttempt,
    request: Request,
    response: Response,
    website: Website,
  ): void {
    response.set(rateLimit.headers);
    if (rateLimit.refusal) throw rateLimit.refusal;
    if (cookie === undefined) return this.askPassword(request, response, website, 403, ({ wrong }) => wrong);
    // Without a path, the cookie has the path of the page's folder as the browser sees it: a proxy may add a prefix.
    response.append(
      'Set-Cookie',
      `${this.cookies.nameFor(website)}=${cookie}; Max-Age=${SHARE_COOKIE_MS / 1000}; HttpOnly; SameSite=Lax${this.isSecure(request) ? '; Secure' : ''}`,
    );
    this.goOn(request, response, website);
  }

  private askPassword(
    request: Request,
    response: Response,
    website: Website,
    status = 200,
    complaint?: Complaint,
  ): void {
    const shell = this.shellFor(request, website);
    response.status(status);
    sendPage(
      response,
      passwordPage(shell, shownDomain(website.domain), complaint?.(shell.words.password)),
      "'none'",
    );
  }

  private goOn(request: Request, response: Response, website: Website): void {
    response.redirect(303, this.wayTo(website, request));
  }

  private shellFor(request: Request, { domain }: Website) {
    const words = wordsFor(request);
    return {
      title: words.statisticsOf(shownDomain(domain)),
      loaded: this.pages.loadedBy('share'),
      root: rootOf(request.path),
      words,
    };
  }

  /** The relative path from any spelling of the page's address to the canonical one. */
  private wayTo(website: Website, request: Request): string {
    const query = request.originalUrl.includes('?') ? request.originalUrl.replace(/^[^?]*/, '') : '';
    return `${rootOf(request.path)}${pathOf(website).slice(1)}${query}`;
  }

  private isSecure({ secure }: Request): boolean {
    return secure || (this.settings.baseUrl?.startsWith('https:') ?? false);
  }
}

function pathOf({ domain }: Website): string {
  return `/share/${encodeURIComponent(domain)}`;
}

function passwordIn(body: unknown): string | undefined {
  const { password } = (body ?? {}) as { password?: unknown };
  return typeof password === 'string' && password !== '' ? password : undefined;
}

type Complaint = (words: Words['password']) => string;

function complaintOf(problem: Problem): Complaint {
  if (!(problem instanceof RateLimited)) return ({ busy }) => busy;
  return ({ limited }) => limited(Math.ceil(problem.retryAfterSeconds! / 60));
}
