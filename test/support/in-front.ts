import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { serve, type WebServer } from './web-server';

type Handle = (request: IncomingMessage, response: ServerResponse, number: number) => Promise<void> | void;

/** Servers in front of a service, which handle requests as the test defines. */
export class InFront {
  private readonly servers: WebServer[] = [];

  constructor(private readonly address: () => string) {}

  /** The address of a server that counts its requests. */
  async answer(handle: Handle): Promise<string> {
    let number = 0;
    const server = await serve((request, response) => void handle(request, response, ++number));
    this.servers.push(server);
    return server.address;
  }

  /** Forwards a request to the service, with its body as the test changes it. */
  async forward(
    request: IncomingMessage,
    changed = (body: NonSharedBuffer): NonSharedBuffer | string => body,
  ): Promise<{ status: number; text: string }> {
    const { 'content-type': type = '', authorization = '' } = request.headers;
    const answer = await fetch(this.address() + request.url!, {
      method: request.method!,
      headers: { 'Content-Type': type, Authorization: authorization },
      body: changed(await buffer(request)),
    });
    return { status: answer.status, text: await answer.text() };
  }

  close(): void {
    for (const server of this.servers.splice(0)) server.close();
  }
}
