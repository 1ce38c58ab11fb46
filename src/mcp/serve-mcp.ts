import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Request, Response } from 'express';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import type { ApiKey } from '../auth/api-key.entity';
import { checkRights, keyOf, Unauthorized } from '../auth/bearer.guard';
import { TurnsOfUsers } from '../auth/turns-of-users';
import { CallerLeft } from '../../engine/ground/gate';
import { Malformed, NotFound } from '../common/problems';
import { letTakeLonger } from '../http/connections/answer-in-time';
import { MCP_PATH, signalOf } from '../http/requests/requests';
import { asProblem, logProblem } from '../http/answers/problem-response';
import { ask, contentOf } from '../messages/call';
import { WebsitesService } from '../websites/websites.service';
import { listTools } from './listed-tools';
import { resultText } from './results';
import type { ListedTool } from './server';
import { TOOLS } from './tools';
import { InvalidFields, NotAllowed, type Problem } from '../../engine/ground/errors';
import { positiveInteger } from '../validation/parsers';
import { normaliseDomain } from '../websites/domain';
import { websiteIdFor } from '../websites/website-id';

/** Opens the service to agents: the Model Context Protocol, without sessions. */
export function serveMcp(app: NestExpressApplication): void {
  const turns = app.get(TurnsOfUsers);
  let tools: ListedTool[] | undefined;
  const http = app.getHttpAdapter().getInstance();
  http.post(MCP_PATH, (request, response, next) => {
    const answer = async () => {
      const key = keyFor(request);
      const known = (tools ??= listTools(app));
      const call = (tool: string, fields: Record<string, unknown>) =>
        callTool({ services: app, turns }, key, tool, fields, response);
      const work = () => answerTo(request, known, call);
      // A tool has a turn of its own, if it needs one.
      const { status, text } = await (callsTool(request.body)
        ? work()
        : turns.run(key, work, signalOf(response)));
      response.status(status).set('Cache-Control', 'no-store');
      if (text) response.type('json').send(text);
      else response.end();
    };
    answer().catch(next);
  });
}

function keyFor(request: Request): ApiKey {
  const key = keyOf(request);
  if (!key) throw new Unauthorized();
  checkRights(key, 'read', true);
  if (Array.isArray(request.body)) throw new Malformed('Send one JSON-RPC message at a time.');
  return key;
}

function callsTool(message: unknown): boolean {
  return (message as { method?: unknown } | null | undefined)?.method === 'tools/call';
}

type Call = (tool: string, fields: Record<string, unknown>) => Promise<CallToolResult>;

async function answerTo(request: Request, tools: ListedTool[], call: Call) {
  const headers = new Headers();
  for (const name of ['accept', 'content-type', 'mcp-protocol-version']) {
    const value = request.get(name);
    if (value !== undefined) headers.set(name, value);
  }
  const requested = new globalThis.Request(`http://localhost${MCP_PATH}`, { method: 'POST', headers });
  const answer = await protocol().converse(requested, request.body, { tools, call });
  return { status: answer.status, text: await answer.text() };
}

async function callTool(
  { services, turns }: { services: NestExpressApplication; turns: TurnsOfUsers },
  key: ApiKey,
  name: string,
  fields: Record<string, unknown>,
  response: Response,
): Promise<CallToolResult> {
  const { useCase, resultOf } = TOOLS[name]!;
  const isOfStatistics = useCase.budget === 'statistics';
  if (isOfStatistics) letTakeLonger(response);
  const signal = signalOf(response);
  const options = {
    signal,
    websiteOf: (_: ApiKey, sent: unknown) => websiteNamed(services.get(WebsitesService), key, sent),
  };
  try {
    checkRights(key, useCase.scope, useCase.keepsToWebsites);
    const work = () => ask(services, useCase, key, fields, options);
    const result = resultOf((await (isOfStatistics ? work() : turns.run(key, work, signal))) as never);
    return resultWith(resultText(result), result);
  } catch (error) {
    if (error instanceof CallerLeft) throw error;
    return { ...problemResult(error, name, String(response.getHeader('X-Request-Id'))), isError: true };
  }
}

function problemResult(error: unknown, tool: string, requestId: string): CallToolResult {
  const problem = asProblem(error);
  logProblem(problem, requestId);
  const shown = { ...contentOf(problem, tool, requestId), detail: detailFor(problem) };
  return resultWith(resultText(shown), shown);
}

function detailFor({ detail }: Problem): string {
  return detail === new NotFound('Website').detail ? `${detail} list_websites shows them.` : detail;
}

function resultWith(text: string, result: object): CallToolResult {
  return { content: [{ type: 'text', text }], structuredContent: { ...result } };
}

/** Loaded with the first request: its packages take memory and time. */
function protocol(): typeof import('./server') {
  // eslint-disable-next-line @typescript-eslint/no-require-imports -- import() would ask for the names of built files
  return require('./server') as typeof import('./server');
}

/** The id of a website that an agent names by id or domain. */
async function websiteNamed(websites: WebsitesService, key: ApiKey, sent: unknown): Promise<number> {
  const text = typeof sent === 'string' || typeof sent === 'number' ? String(sent) : '';
  if (positiveInteger(text) !== undefined) return websiteIdFor(key, text);
  return websiteIdFor(key, await websites.idOf(key.userId, domainOf(text)));
}

function domainOf(text: string): string {
  try {
    return normaliseDomain(text);
  } catch (error) {
    if (!(error instanceof NotAllowed)) throw error;
    throw new InvalidFields({ website_id: ['must be the id or the domain of a website'] });
  }
}
