import type { INestApplication, Type } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import { finishDocument, publicName } from './openapi-document';

/** The JSON Schemas of these classes, and of those that they use, under the names that openapi.json gives them. */
export function schemasOf(app: INestApplication, classes: Type[]): Record<string, unknown> {
  const document = finishDocument(
    SwaggerModule.createDocument(app, new DocumentBuilder().setOpenAPIVersion('3.1.0').build(), {
      extraModels: classes,
    }),
  );
  const all = document.components!.schemas as Record<string, unknown>;
  const names = new Set(classes.map(({ name }) => publicName(name)));
  for (const name of names)
    for (const [, inside] of JSON.stringify(all[name] ?? {}).matchAll(/"#\/components\/schemas\/(\w+)"/g))
      names.add(inside!);
  return Object.fromEntries(Object.entries(all).filter(([name]) => names.has(name)));
}
