import type { ApiClient } from './api-client';
import { FIRST_KEY } from './test-app';
import { type Operation, OPERATIONS, VariedRequests } from './varied-requests';

/** The website that viewers of shared pages see. */
export const SHARED = 'shared.example';

export const nameOf = ({ method, path }: Operation) => `${method} ${path}`;

/** One thing of each kind, made anew once it is deleted. */
export class Things {
  readonly requests = new VariedRequests(FIRST_KEY, (operation, parameter) =>
    this.named(operation, parameter),
  );
  private readonly paths = new Map<string, string>();

  constructor(private readonly api: ApiClient) {}

  async makeAll(): Promise<void> {
    for (const operation of OPERATIONS)
      if (operation.method === 'POST' && OPERATIONS.some(({ path }) => path === `${operation.path}/{id}`))
        await this.make(operation);
  }

  /** What was stored goes, because there are limits; what was deleted comes back. */
  async restore(operation: Operation, { status, headers }: { status: number; headers: Headers }) {
    const location = headers.get('Location');
    if (status === 201 && location) await this.api.delete(location);
    if (status !== 200 || operation.method !== 'DELETE') return;
    const path = operation.path.replace('/{id}', '');
    await this.make(OPERATIONS.find((other) => other.method === 'POST' && other.path === path)!);
  }

  /** The value of a parameter in a path. */
  named({ path }: Operation, parameter: string): string {
    const id =
      this.paths
        .get(path.replace(/\/\{id\}.*/, ''))
        ?.split('/')
        .at(-1) ?? '1';
    return { id, domain: SHARED, website_id: '1', delivery_id: '1' }[parameter] ?? 'no-link';
  }

  private async make(operation: Operation): Promise<void> {
    const [content] = Object.values(operation.bodies);
    const json = this.requests.exampleOf(content!, 'POST');
    const answer = await this.api.post(operation.path.replace('{website_id}', '1'), { json });
    if (answer.status !== 201) throw new Error(`${nameOf(operation)}: ${answer.text}`);
    this.paths.set(operation.path, answer.headers.get('Location')!);
  }
}
