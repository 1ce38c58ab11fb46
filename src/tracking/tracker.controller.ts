import { applyDecorators, Controller, Get, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { ApiProblems } from '../http/openapi/openapi-problems';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { builtFile } from '../../engine/ground/threads/built-file';

interface TrackerScript {
  text: string;
  etag: string;
}

/** A file of the build of `src/tracker`. */
export function readTrackerScript(name: 'tracker.js' | 'tracker-events.js'): TrackerScript {
  const text = readFileSync(builtFile(name), 'utf8');
  return { text, etag: `"${createHash('sha256').update(text).digest('base64url')}"` };
}

const HEADERS = {
  'Content-Type': 'text/javascript; charset=utf-8',
  'Cache-Control': 'public, max-age=3600',
  'Access-Control-Allow-Origin': '*',
  'Cross-Origin-Resource-Policy': 'cross-origin',
};

const ETAG = {
  description: 'The version of the script, for If-None-Match.',
  schema: { type: 'string' as const, example: '"0Xb6aTnVwJjlcwsYgPBlpCqPzNcZBu7RvyY2rwmMSdE"' },
};

const ApiScript = (operationId: string, summary: string, description: string) =>
  applyDecorators(
    ApiOperation({ operationId, summary, description }),
    ApiOkResponse({
      description: 'The script.',
      headers: { ETag: ETAG },
      content: { 'text/javascript': { schema: { type: 'string' } } },
    }),
    ApiResponse({ status: 304, description: 'The caller has it already.', headers: { ETag: ETAG } }),
    ApiProblems([400]),
  );

@ApiTags('Tracking')
@Controller()
export class TrackerController {
  private readonly tracker = readTrackerScript('tracker.js');
  private readonly events = readTrackerScript('tracker-events.js');

  @Get('tracker.js')
  @ApiScript('getTracker', 'Load the tracker', 'The script that a website embeds with one `script` element.')
  show(@Res({ passthrough: true }) response: Response): string {
    return send(this.tracker, response);
  }

  @Get('tracker-events.js')
  @ApiScript(
    'getTrackerEvents',
    'Load the automatic events of the tracker',
    'The script that the tracker loads if its element asks for automatic events, for example `data-outbound`.',
  )
  showEvents(@Res({ passthrough: true }) response: Response): string {
    return send(this.events, response);
  }
}

function send({ text, etag }: TrackerScript, response: Response): string {
  response.set({ ...HEADERS, ETag: etag });
  return text;
}
