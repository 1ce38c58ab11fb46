import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { version } from '../package.json';

/** The OpenAPI document of the service; it is kept in the repository as openapi.json. */
export function openApiDocument(app: INestApplication): OpenAPIObject {
  const config = new DocumentBuilder()
    .setTitle('Milepost')
    .setDescription(
      'Website analytics: register websites, set their options, read their statistics. ' +
        'Every request needs an API key of yours as a bearer token.',
    )
    .setVersion(version)
    .setLicense('MIT', 'https://opensource.org/license/mit')
    .addServer('/')
    .addTag('Websites', 'The websites whose visits are counted, and their options.')
    .addTag('Stats', 'What was counted.')
    .addTag('Tracking', 'What happens on the websites, and the script that tells of it.')
    .addTag('Health', 'For those who run the service.')
    .addBearerAuth({ type: 'http', scheme: 'bearer', description: 'An API key of yours.' })
    .build();
  return SwaggerModule.createDocument(app, config, {
    operationIdFactory: (controller, method) =>
      `${controller.replace('Controller', '')}_${method}`.toLowerCase(),
  });
}

export function serveDocs(app: INestApplication): void {
  SwaggerModule.setup('docs', app, () => openApiDocument(app), {
    jsonDocumentUrl: 'docs-json',
    raw: ['json'],
    customSiteTitle: 'Milepost API',
    swaggerOptions: { persistAuthorization: true, tryItOutEnabled: true, tagsSorter: 'none' },
  });
}
