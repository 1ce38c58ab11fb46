import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { version } from '../package.json';
import { Settings } from './config/settings';
import { serveExplorer } from './explorer';
import { SharedAnswer } from './http/answers/compression';
import { Routes } from './http/requests/routes';
import { finishComponents } from './http/openapi/components';
import { finishDocument } from './http/openapi/openapi-document';
import { webhooksDocument } from './webhooks/deliveries/payloads';
import { finishBodies } from './http/openapi/request-bodies';

/** The service's OpenAPI document, committed as openapi.json. */
export function openApiDocument(app: INestApplication): OpenAPIObject {
  const config = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Milepost')
    .setDescription(
      'Website analytics: register websites, set their options, read their statistics. ' +
        'Websites and statistics need an API key as a bearer token; the tracker, page events and health checks need no key.',
    )
    .setVersion(version)
    .setLicense('MIT', 'https://opensource.org/license/mit')
    .addServer(app.get(Settings).baseUrl ?? '/')
    .addTag('Websites', 'Registered websites and their options.')
    .addTag('Statistics', 'Statistics of a website.')
    .addTag('Goals', 'What visitors of a website should do.')
    .addTag('Funnels', 'Steps that visitors of a website should take.')
    .addTag('Saved filters', 'Filters with names, for other filters.')
    .addTag('Annotations', 'What happened on days and at moments, for the chart of a website.')
    .addTag('Exclusions', 'What is left out of all statistics of a website.')
    .addTag(
      'Alerts',
      'What the owner of a website watches for in its numbers, and the addresses that get mails about it.',
    )
    .addTag('Webhooks', 'Addresses that events of websites are posted to.')
    .addTag('Shared', 'Statistics without a key, if the `privacy` of the website allows it.')
    .addTag('Account', 'The current user and their API keys.')
    .addTag('Tracking', 'Collecting events, and the tracker script.')
    .addTag('Reports', 'Stopping email reports through the link in a report.')
    .addTag('Health', 'Liveness and readiness, for operators.')
    .addBearerAuth({
      type: 'http',
      scheme: 'bearer',
      description: 'API key (mp_…), created at the first start or by the command line.',
      bearerFormat: 'opaque',
    })
    .build();
  const document = finishBodies(finishDocument(SwaggerModule.createDocument(app, config)));
  return finishComponents({ ...document, webhooks: webhooksDocument() });
}

/** Serialised once for all answers, so that an answer costs nothing, and an unread one takes no memory. */
export function serveDocs(app: INestApplication): void {
  let made: OpenAPIObject | undefined;
  const document = () => (made ??= openApiDocument(app));
  const answer = new SharedAnswer(() => JSON.stringify(document()));
  const get = (path: string, handler: (request: Request, response: Response) => unknown) => {
    app.get(Routes).add('GET', path);
    app.getHttpAdapter().get(path, handler);
  };
  for (const path of ['/openapi.json', '/docs-json'])
    get(path, (request, response) => answer.send(request, response.type('json')));
  serveExplorer(app, get, document);
}
