import { createServer } from 'node:http';
import { Controller, HttpCode, Module, Post } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import 'reflect-metadata';

/** Servers that only answer events: the cost of the runtime and the framework. */
@Controller('api/v1/events')
class NothingController {
  @Post()
  @HttpCode(202)
  nothing(): void {}
}

@Module({ controllers: [NothingController] })
class NothingModule {}

async function listen(): Promise<void> {
  const [kind, port] = process.argv.slice(2);
  if (kind === 'nest') {
    const app = await NestFactory.create(NothingModule, { logger: false });
    await app.listen(Number(port), '127.0.0.1');
    return;
  }
  createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(202, { 'Content-Length': '0' }).end());
  }).listen(Number(port), '127.0.0.1');
}

void listen();
