import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

/** The MCP clients of one test file. */
export class McpClients {
  private readonly clients: Client[] = [];

  async connect(address: string, key: string): Promise<Client> {
    const client = new Client({ name: 'test', version: '1.0.0' });
    const headers = { Authorization: `Bearer ${key}` };
    await client.connect(
      new StreamableHTTPClientTransport(new URL(`${address}/mcp`), { requestInit: { headers } }),
    );
    this.clients.push(client);
    return client;
  }

  async close(): Promise<void> {
    for (const client of this.clients) await client.close();
  }
}

/** The answer of a tool. Its text for models must equal its structured content. */
export async function callTool(client: Client, name: string, fields: object = {}): Promise<any> {
  const result: any = await client.callTool({ name, arguments: fields as Record<string, unknown> });
  expect(JSON.parse(result.content[0].text)).toEqual(result.structuredContent);
  return { ...result.structuredContent, isError: result.isError ?? false };
}
