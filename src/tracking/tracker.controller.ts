import { Controller, Get, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { ApiProblems } from '../http/openapi/openapi-problems';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { builtFile } from '../common/threads/built-file';

interface TrackerScript {
  text: string;
  etag: string;
}

/** The build of `src/tracker`. */
export function readTrackerScript(): TrackerScript {
  const text = readFileSync(builtFile('tracker.js'), 'utf8');
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

@ApiTags('Tracking')
@Controller('tracker.js')
export class TrackerController {
  private readonly script = readTrackerScript();

  @Get()
  @ApiOperation({
    operationId: 'getTracker',
    summary: 'Load the tracker',
    description: 'The script that a website embeds with one `script` element.',
  })
  @ApiOkResponse({
    description: 'The script.',
    headers: { ETag: ETAG },
    content: { 'text/javascript': { schema: { type: 'string' } } },
  })
  @ApiResponse({ status: 304, description: 'The caller has it already.', headers: { ETag: ETAG } })
  @ApiProblems([400])
  show(@Res({ passthrough: true }) response: Response): string {
    response.set({ ...HEADERS, ETag: this.script.etag });
    return this.script.text;
  }
}
