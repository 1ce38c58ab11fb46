import { Controller, Get, Post, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { Request } from 'express';
import { Budget, ReadsBody, Routes } from './routes';

@Controller('api/v1/stats')
@Budget('statistics')
class Stats {
  @Get(':website_id')
  show(): void {}

  @Post(':website_id/query')
  @ReadsBody('viewerQuery')
  query(): void {}
}

@Controller('api/v1/events')
class Events {
  @Post()
  send(): void {}
}

async function routesOf(...controllers: Type[]) {
  const module = { module: class {}, controllers, providers: [Routes] };
  const app = await NestFactory.createApplicationContext(module, { logger: false, abortOnError: false });
  const routes = app.get(Routes);
  return (originalUrl: string) => routes.of({ originalUrl } as Request);
}

it('finds routes in the spellings that Express takes', async () => {
  const find = await routesOf(Stats);
  for (const path of ['/api/v1/stats/7', '/API/v1/Stats/7/?from=/a', '/console/api/stats/7'])
    expect(find(path)).toMatchObject({
      pattern: '/api/v1/stats/:website_id',
      budget: 'statistics',
      body: 'fields',
      methods: new Set(['GET', 'HEAD']),
    });
  expect(find('/api/v1/stats/7/query')).toMatchObject({ body: 'viewerQuery', methods: new Set(['POST']) });
  for (const path of ['/api/v1/stats', '/api/v1/stats//', '/api/v1/stats/7/query/8', '/', '*', '//'])
    expect(find(path).methods.size).toBe(0);
});

it('gives unknown routes the rules of the path above', async () => {
  const find = await routesOf(Stats);
  expect(find('/api/v1/stats/7/unknown/route')).toMatchObject({ budget: 'statistics', gate: 'key' });
  expect(find('/api/')).toMatchObject({ budget: 'management', gate: 'key' });
  expect(find('/api').gate).toBeUndefined();
  expect(find('/share/a').gate).toBe('anyone');
});

it('lets the console use the API, except for events', async () => {
  const find = await routesOf(Stats, Events);
  expect(find('/console/api/stats/7')).toMatchObject({ gate: 'session', isOfApi: true });
  expect(find('/api/v1/stats/7')).toMatchObject({ gate: 'key', isOfApi: false });
  expect(find('/console/api/events')).toMatchObject({ gate: 'session', isOfApi: false, methods: new Set() });
});

it('refuses a name beside a parameter', async () => {
  @Controller('api/v1/stats/names')
  class Names {
    @Get()
    list(): void {}
  }
  await expect(routesOf(Stats, Names)).rejects.toThrow('ambiguous');
});
