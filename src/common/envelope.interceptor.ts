import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { Request } from 'express';
import { map, type Observable } from 'rxjs';
import { Page } from './pagination';

/** Puts what a controller returns under `data`, a page together with its links and its meta. */
@Injectable()
export class EnvelopeInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const { path, query } = context.switchToHttp().getRequest<Request>();
    return next
      .handle()
      .pipe(
        map((result: unknown) =>
          result instanceof Page
            ? result.toEnvelope(path, query as Record<string, string>)
            : { data: result },
        ),
      );
  }
}
