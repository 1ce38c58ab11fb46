import {
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  StreamableFile,
} from '@nestjs/common';
import type { Request, Response } from 'express';
import { map, type Observable } from 'rxjs';
import { Settings } from '../../config/settings';
import { Page, WithMeta } from './pagination';

/**
 * Puts the result of a controller under `data`, and adds the links and meta of a page. Files are sent unchanged. Links
 * and `Location` are addresses if the service knows its own, and else paths.
 */
@Injectable()
export class EnvelopeInterceptor implements NestInterceptor {
  private readonly base: string;

  constructor({ baseUrl = '' }: Settings) {
    this.base = baseUrl;
  }

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const { base } = this;
    const http = context.switchToHttp();
    const { path, query } = http.getRequest<Request>();
    const response = http.getResponse<Response>();
    return next.handle().pipe(
      map((result: unknown) => {
        const place = response.get('Location');
        if (place?.startsWith('/')) response.location(base + place);
        if (result instanceof StreamableFile) return result;
        return result instanceof Page || result instanceof WithMeta
          ? result.toEnvelope(path, query as Record<string, string>, base)
          : { data: result };
      }),
    );
  }
}
