import { applyDecorators, type ArgumentsHost, Injectable, type PipeTransform } from '@nestjs/common';
import { ApiParam } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import type { Caller } from '../../../engine/ground/gate';
import { letTakeLonger } from '../../http/connections/answer-in-time';
import { ApiProblem, ApiProblems } from '../../http/openapi/openapi-problems';
import { ClientAddress } from '../../http/requests/client-address';
import { signalOf } from '../../http/requests/requests';
import type { Ask } from '../../stats/queries/questions.controller';
import { WebsiteFilters } from '../../stats/website-filters';
import { ConsoleSessions } from '../console/console-sessions';
import { PasswordRequired, ShareAccess } from './share-access';
import { ViewersGate } from './viewers-gate';

export const WHO =
  'Open to anyone while `privacy` is 0, and after the password was entered on the page `/share/{domain}` while it is 2. An API key is ignored.';
export const ApiNotSeen = () =>
  applyDecorators(
    ApiProblem(403, 'password_required', 'The password of the website is required.'),
    ApiProblems([400, 404, 422, 429, 500, 503], { 404: 'Not found, or private.' }),
  );

export const ApiDomain = () =>
  ApiParam({
    name: 'domain',
    schema: { type: 'string', example: 'example.com' },
    description: 'The domain of a website.',
  });

type Http = ReturnType<ArgumentsHost['switchToHttp']>;

/** Who asks for the data of a shared page, and when. As a pipe, it turns a request about hits into its asker. */
@Injectable()
export class SharedCallers implements PipeTransform<Http, Ask> {
  constructor(
    private readonly filters: WebsiteFilters,
    private readonly access: ShareAccess,
    private readonly gate: ViewersGate,
    private readonly sessions: ConsoleSessions,
    private readonly addresses: ClientAddress,
  ) {}

  transform(http: Http): Ask {
    const request = http.getRequest<Request<{ domain: string }>>();
    return this.askerOf(request.params.domain, request, http.getResponse(), 'ask');
  }

  /** Checks again for each query of a request who may see the website. */
  askerOf(domain: string, request: Request, response: Response, place: 'look' | 'ask'): Ask {
    const address = this.addresses.of(request);
    const signal = signalOf(response);
    letTakeLonger(response);
    return async (work) => {
      const key = await this.sessions.keyIn(request.get('Cookie'));
      const website = await this.access.website(domain, key);
      const seen = this.access.viewerOf(website, request.get('Cookie'), key);
      if (!seen) throw new PasswordRequired();
      const { id: websiteId } = website;
      // Within a place, because a limited page reads all definitions of its website.
      const requested = async (caller: Caller) =>
        work({ viewer: await this.filters.limited(seen, websiteId), websiteId, caller });
      // The owner has a user's places, as with a key.
      if (seen.as === 'owner') return requested({ owner: seen.userId, signal });
      return place === 'ask' || (await this.filters.isLimited(websiteId))
        ? this.gate.ask(address, websiteId, signal, requested)
        : this.gate.look(address, websiteId, signal, requested);
    };
  }
}
