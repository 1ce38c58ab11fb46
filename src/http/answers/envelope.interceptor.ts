import {
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  StreamableFile,
} from '@nestjs/common';
import type { Request } from 'express';
import { map, type Observable } from 'rxjs';
import { Page, WithMeta } from './pagination';

/** Puts the result of a controller under `data`, and adds the links and meta of a page. Files are sent unchanged. */
@Injectable()
export class EnvelopeInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const { path, query } = context.switchToHttp().getRequest<Request>();
    return next.handle().pipe(
      map((result: unknown) => {
        if (result instanceof StreamableFile) return result;
        return result instanceof Page || result instanceof WithMeta
          ? result.toEnvelope(path, query as Record<string, string>)
          : { data: result };
      }),
    );
  }
}
